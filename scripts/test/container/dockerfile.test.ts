import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageManager } from "../../../package.json";
import { placeOf, readArguments, readCopy, readDockerfile } from "./dockerfile.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const images = readDockerfile(readFileSync(path.join(ROOT, "Dockerfile"), "utf8"));
const ignored = readFileSync(path.join(ROOT, ".dockerignore"), "utf8").split("\n");
const copies = images.flatMap(({ instructions }) =>
  instructions.filter(({ name }) => name === "COPY").map(({ value }) => readCopy(value)),
);

test("reads images, continued lines, flags and both places of a copy", () => {
  const [build, final] = readDockerfile(
    "FROM --platform=$B x:1 AS build\nRUN a \\\n  b\n# RUN c\nFROM y\nCOPY a b/ /c/\n",
  );
  expect(build).toEqual({ base: "x:1", name: "build", instructions: [{ name: "RUN", value: "a    b" }] });
  expect(final?.base).toBe("y");
  const copy = readCopy("--from=build --chown=1:2 /a/b /c");
  expect(copy).toEqual({ from: "build", owner: "1:2", sources: ["/a/b"], target: "/c" });
  expect(placeOf(copy, "/a/b")).toBe("/c");
  expect(placeOf(readCopy("a/x b/y ./"), "b/y")).toBe("y");
  expect(() => readCopy("a")).toThrow("COPY without a target");
  expect(readArguments('["serve"]')).toEqual(["serve"]);
  expect(() => readDockerfile("RUN a")).toThrow("begins with RUN");
});

test("the image is built by the pinned Bun, from paths that are here and that the context has", () => {
  expect(images[0]?.base).toBe(`docker.io/oven/${packageManager.replace("@", ":")}-debian`);
  const sources = copies.filter(({ from }) => from === "").flatMap((copy) => copy.sources);
  expect(sources.length).toBeGreaterThan(5);
  for (const source of sources) {
    expect(existsSync(path.join(ROOT, source))).toBe(true);
    expect(ignored).toContain(`!${source}`);
  }
});
