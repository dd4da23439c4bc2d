import { expect, test } from "bun:test";
import { credentialOf } from "../../../../../src/providers/hosts/bedrock/bedrock.ts";
import { regionOfKey, withRegion } from "./key-region.ts";

test.each([
  ["AKIA1|secret|us-west-2", "us-west-2"],
  ["AKIA1|secret|us-west-2|token", "us-west-2"],
  ["AKIA1|secret", ""],
  ["ABSKx|eu-west-1", "eu-west-1"],
  ["ABSKx", ""],
])("the region of %s is %j", (key, region) => {
  expect(regionOfKey(key)).toBe(region);
});

test.each([
  ["AKIA1|secret", "eu-west-1", "AKIA1|secret|eu-west-1"],
  ["AKIA1", "eu-west-1", "AKIA1||eu-west-1"],
  ["AKIA1|secret|us-west-2|token", "eu-west-1", "AKIA1|secret|eu-west-1|token"],
  ["AKIA1|secret|us-west-2", "", "AKIA1|secret|"],
  ["ABSKx", "eu-west-1", "ABSKx|eu-west-1"],
  ["ABSKx|us-west-2", "", "ABSKx"],
])("%s with the region %j is %s", (key, region, expected) => {
  const changed = withRegion(key, region);
  expect(changed).toBe(expected);
  // The gateway reads the same region, its own one where none is named.
  expect(credentialOf(changed).region).toBe(region || "us-east-1");
});
