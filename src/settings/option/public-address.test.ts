import { expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { localAddressOf, requireServerAddress, withBasePath } from "./public-address.ts";

test("an address is built from the option, or refused", () => {
  expect(requireServerAddress(fixedSettings({ ServerAddress: "https://ai.example.com" }))).toBe(
    "https://ai.example.com",
  );
  expect(() => requireServerAddress(fixedSettings({ ServerAddress: "" }))).toThrow("server_address_missing");
});

test.each([
  ["https://ai.example.com", "", "https://ai.example.com"],
  ["https://ai.example.com", "/sluice", "https://ai.example.com/sluice"],
  ["https://ai.example.com/sluice", "/sluice", "https://ai.example.com/sluice"],
  ["https://sluice.example.com", "/sluice", "https://sluice.example.com/sluice"],
  ["https://ai.example.com/other", "", "https://ai.example.com/other"],
  ["", "/sluice", ""],
])("%j below %j is %j", (address, basePath, expected) => {
  expect(withBasePath(address, basePath)).toBe(expected);
});

test("this machine's own address has the base path too", () => {
  expect(localAddressOf({ port: 3000, basePath: "/sluice" })).toBe("http://localhost:3000/sluice");
});
