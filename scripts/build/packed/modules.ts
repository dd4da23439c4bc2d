// Two of the packages need it, as in src/main.ts.
import "reflect-metadata";
import path from "node:path";
import { packedModuleFile } from "../../../src/lib/runtime/packed-files.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const READER = path.join(ROOT, "src/lib/runtime/packed-files.ts");

/**
 * Packages that few processes need, and then for seconds of work: the executable carries each as one compressed module, without
 * bytecode, which is three times as large as the source. They are loaded by `import()` and share nothing with the rest.
 */
export const PACKED_MODULES: readonly string[] = [
  "@node-saml/node-saml",
  "@peculiar/x509",
  "@simplewebauthn/server",
  "kafkajs",
  "nodemailer",
  "pdfkit",
  "stripe",
];

/** A decoder of Brotli, 0.5 MB, that the library of fonts has for WOFF2: the one font here is none. */
const WITHOUT_UNUSED: Bun.BunPlugin = {
  name: "without unused modules",
  setup(build) {
    build.onLoad({ filter: /[/\\]brotli[/\\]decompress\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('WOFF2 is not supported'); };",
      loader: "js",
    }));
  },
};

/** The package as the text of one module. Throws AggregateError when it cannot be bundled. */
export async function bundleModule(name: string): Promise<string> {
  const entry = path.join(ROOT, "packed-module.js");
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: reexport(name) },
    target: "bun",
    format: "esm",
    minify: true,
    plugins: [WITHOUT_UNUSED],
    define: { "process.env.NODE_ENV": '"production"', __dirname: '"/$bunfs/root"' },
  });
  const [output] = outputs;
  if (!output) throw new Error(`${name} was not bundled`);
  return output.text();
}

/** As one value: `export *` has nothing of what a CommonJS module exports. */
const reexport = (name: string): string =>
  `import * as all from ${JSON.stringify(Bun.resolveSync(name, ROOT))}; export { all };`;

const IDENTIFIER = /^(?!default$)[A-Za-z_$][\w$]*$/;

/** Where the sources import such a package, the executable unpacks it. */
export const UNPACK_MODULES: Bun.BunPlugin = {
  name: "packed modules",
  setup(build) {
    const names = PACKED_MODULES.map(RegExp.escape).join("|");
    build.onResolve({ filter: new RegExp(`^(?:${names})$`) }, ({ path: name }) => ({
      path: name,
      namespace: "packed",
    }));
    build.onLoad({ filter: /.*/, namespace: "packed" }, async ({ path: name }) => {
      const exported = Object.keys(await import(Bun.resolveSync(name, ROOT)));
      const lines = [
        `import { importPacked } from ${JSON.stringify(READER)};`,
        `const { all } = await importPacked(${JSON.stringify(packedModuleFile(name))});`,
        ...exported.filter((key) => IDENTIFIER.test(key)).map((key) => `export const ${key} = all.${key};`),
        "export default all.default;",
      ];
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
};
