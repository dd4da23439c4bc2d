import { expect, test } from "bun:test";
import { join } from "node:path";

const SHAPES = /<(?:path|circle|rect|ellipse|polygon)\b[^>]*>/g;

test("no colored logo has a shape in the color of the text, which an image draws black in dark mode, too", async () => {
  const source = await Bun.file(join(import.meta.dir, "provider-logos.ts")).text();
  const files = [...source.matchAll(/icons\/([\w-]+-color\.svg)"/g)].map(([, file]) => file ?? "");
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) {
    const image = await Bun.file(Bun.resolveSync(`@lobehub/icons-static-svg/icons/${file}`, import.meta.dir)).text();
    const inherits = /^<svg[^>]*fill="currentColor"/.test(image);
    const uncolored = (image.match(SHAPES) ?? []).filter((shape) => !shape.includes("fill="));
    expect([file, inherits && uncolored.length > 0]).toEqual([file, false]);
  }
});
