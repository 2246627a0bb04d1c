//===- Families.cpp - The table of kernel families ------------------------===//
//
// Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

std::vector<std::unique_ptr<Family>> createFamilies() {
  constexpr std::unique_ptr<Family> (*creators[])() = {
      createElementwiseFamily,     createSwigluFamily,
      createRatesFamily,           createPipesFamily,
      createAttentionFamily,       createAttentionBackwardFamily,
      createAttentionValuesFamily, createRopeFamily,
      createSwigluGemmFamily,
  };
  std::vector<std::unique_ptr<Family>> families;
  for (auto create : creators)
    families.push_back(create());
  return families;
}
