import { expect, test } from "bun:test";
import { bodyOfProvider, checkProviderForm, formOfProvider } from "./provider-form.ts";

const form = {
  ...formOfProvider(null),
  ...{ name: " Acme ", config: { issuer: "https://id.acme.example", client_id: "c" }, domains: ["acme.example"] },
};

test("a complete form is fine, and is sent without spaces around the name", () => {
  expect(checkProviderForm(form)).toEqual({});
  expect(bodyOfProvider(form)).toMatchObject({ name: "Acme", secret: "", creates_accounts: true });
});

test.each([
  [{ name: " " }, { name: "required" }],
  [{ config: { client_id: "c" } }, { config_issuer: "required" }],
  [{ domains: ["no domain"] }, { domains: "domain" }],
  [{ domains: [], enforced: true }, { domains: "domain" }],
  [{ mappings: [{ group: " ", organization_id: 1, role: "viewer" }] }, { mappings: "required" }],
] as const)("%j is reported at its field", (change, faults) =>
  expect(checkProviderForm({ ...form, ...change })).toEqual(faults as Record<string, "required">),
);
