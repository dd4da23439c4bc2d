import { expect, test } from "bun:test";
import path from "node:path";
import packageJson from "../../package.json";
import { makeSbom, parseLock } from "./sbom.ts";

const lock = parseLock(`{
  "packages": {
    "a": ["a@1.0.0", "", { "dependencies": { "b": "^2", "@s/c": "^1" }, "optionalPeers": ["p"], "peerDependencies": { "p": "*" } }, "sha512-AAAA"],
    "b": ["b@1.0.0", "", {}],
    "a/b": ["b@2.0.0", "", { "dependencies": { "@s/c": "^1" } }],
    "@s/c": ["@s/c@1.5.0", "", { "optionalDependencies": { "absent": "1" } }],
    "p": ["p@1.0.0", ""],
  },
}`);

test("lists what the direct dependencies need, each in the version that they get", async () => {
  const { components, dependencies } = await makeSbom(lock, ["a"], async (place) =>
    place === "a" ? "MIT OR ISC" : "MIT",
  );
  expect(components).toMatchObject([
    { purl: `pkg:generic/bun@${Bun.version}` },
    { group: "@s", name: "c", purl: "pkg:npm/%40s/c@1.5.0", licenses: [{ license: { id: "MIT" } }] },
    {
      name: "a",
      licenses: [{ expression: "MIT OR ISC" }],
      hashes: [{ alg: "SHA-512", content: "000000" }],
    },
    { name: "b", version: "2.0.0" },
  ]);
  expect(dependencies).toContainEqual({
    ref: "pkg:npm/a@1.0.0",
    dependsOn: ["pkg:npm/%40s/c@1.5.0", "pkg:npm/b@2.0.0"],
  });
});

test("a lock file that lacks a dependency is refused", async () => {
  await expect(makeSbom(lock, ["none"], async () => null)).rejects.toThrow("bun.lock lacks none");
});

test("the executable has the packages of production and none of development", async () => {
  const root = path.resolve(import.meta.dir, "../..");
  const { components } = await makeSbom(
    parseLock(await Bun.file(path.join(root, "bun.lock")).text()),
    Object.keys(packageJson.dependencies),
    async () => "MIT",
  );
  const names = components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  expect(names).toContain("elysia");
  expect(names).toContain("@mui/material");
  // A package of production needs it too.
  const shared = new Set(["ajv"]);
  for (const name of Object.keys(packageJson.devDependencies)) expect(names.includes(name)).toBe(shared.has(name));
});
