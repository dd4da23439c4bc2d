import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { minify } from "@swc/core";
import { writeCompressed } from "./compress.ts";
import textsPlugin from "./texts-plugin.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const OUT = path.join(ROOT, "ui/dist");
/** What an installed console needs at addresses that never change. */
const OFFLINE = path.join(ROOT, "ui/offline");
const ICONS = ["icon.svg", "icon-180.png", "icon-512.png"];
const IMMUTABLE_NAME = "assets/[name]-[hash].[ext]";

/** Smaller files join one that is loaded whenever they are, where that changes nothing but their number. */
const MIN_CHUNK_BYTES = 16_384;

const SHARED = {
  target: "browser",
  minify: true,
  naming: { entry: "[name].[ext]", chunk: IMMUTABLE_NAME, asset: IMMUTABLE_NAME },
  define: { "process.env.NODE_ENV": '"production"' },
} as const;

/** Modules that libraries import and the console never uses, and what stands for them in its scripts. */
const UNUSED: readonly Readonly<{ filter: RegExp; contents: string }>[] = [
  // The theme switches ripples off.
  { filter: /[/\\]ButtonBase[/\\]TouchRipple\.mjs$/, contents: "export default () => null;" },
  // Fields are outlined: selects bring the other two looks along.
  { filter: /[/\\](Input[/\\]Input|FilledInput[/\\]FilledInput)\.mjs$/, contents: "export default () => null;" },
  // ui/theme/first-paint.ts sets the theme before the first paint.
  {
    filter: /[/\\]system[/\\]InitColorSchemeScript[/\\]InitColorSchemeScript\.mjs$/,
    contents: [
      'export const DEFAULT_MODE_STORAGE_KEY = "mode", DEFAULT_COLOR_SCHEME_STORAGE_KEY = "color-scheme";',
      'export const DEFAULT_ATTRIBUTE = "data-color-scheme", buildInitColorSchemeScript = () => null;',
      "export default () => null;",
    ].join(""),
  },
  // For components of classes that get the theme as a property.
  { filter: /[/\\]hoist-non-react-statics\.cjs\.js$/, contents: "module.exports = (target) => target;" },
];

const WITHOUT_UNUSED: Bun.BunPlugin = {
  name: "without unused modules",
  setup(build) {
    for (const { filter, contents } of UNUSED) build.onLoad({ filter }, () => ({ contents, loader: "js" }));
  },
};

export type ConsoleBuild = Readonly<{ files: number; rawBytes: number; brotliBytes: number }>;

/**
 * Bundles ui/index.html into ui/dist with content-hashed names under assets/, one chunk a lazily loaded page,
 * compressed. The directory is replaced in one step, so that a server reading it
 * meanwhile never sees half of it. Throws AggregateError when the bundle fails.
 */
export async function buildConsole(): Promise<ConsoleBuild> {
  const staging = path.join(ROOT, `node_modules/.cache/console-${process.pid}`);
  const old = `${staging}-old`;
  try {
    const files = await bundle(staging);
    const sizes = await Promise.all(files.map((file) => writeCompressed(file)));
    await mkdir(path.dirname(OUT), { recursive: true });
    await rename(OUT, old).catch(ignoreMissing);
    await rename(staging, OUT);
    return {
      files: sizes.length,
      rawBytes: sizes.reduce((sum, size) => sum + size.raw, 0),
      brotliBytes: sizes.reduce((sum, size) => sum + size.brotli, 0),
    };
  } finally {
    await Promise.all([staging, old].map((directory) => rm(directory, { recursive: true, force: true })));
  }
}

/** Returns the paths of what was written. */
async function bundle(outdir: string): Promise<string[]> {
  const [page, firstPaint, worker] = await Promise.all([
    Bun.build({
      ...SHARED,
      entrypoints: [path.join(ROOT, "ui/index.html")],
      outdir,
      splitting: true,
      minChunkSize: MIN_CHUNK_BYTES,
      publicPath: "/",
      plugins: [WITHOUT_UNUSED, textsPlugin],
    }),
    Bun.build({
      ...SHARED,
      entrypoints: [path.join(ROOT, "ui/theme/first-paint.ts")],
      outdir,
      format: "iife",
      naming: { entry: IMMUTABLE_NAME },
    }),
    Bun.build({ ...SHARED, entrypoints: [path.join(OFFLINE, "service-worker.ts")], outdir, format: "iife" }),
  ]);
  await Promise.all(page.outputs.filter(isLarge).map(({ path: file }) => minifyAgain(file)));
  const html = path.join(outdir, "index.html");
  const [script] = firstPaint.outputs;
  if (!script) throw new Error("ui/theme/first-paint.ts was not built");
  await Bun.write(html, withHead(await Bun.file(html).text(), `/${path.relative(outdir, script.path)}`));
  const icons = ICONS.map((name) => path.join(outdir, name));
  await Promise.all(ICONS.map((name, at) => copyFile(path.join(OFFLINE, name), icons[at] ?? "")));
  return [...[...page.outputs, script, ...worker.outputs].map(({ path: file }) => file), ...icons];
}

/** Scripts from this size on are minified once more. */
const LARGE_BYTES = 10_000;

const isLarge = ({ path: file, size }: Bun.BuildArtifact): boolean => file.endsWith(".js") && size >= LARGE_BYTES;

/** Takes another twentieth off a script: the bundler doesn't join statements and inline functions as far. */
async function minifyAgain(file: string): Promise<void> {
  const { code } = await minify(await Bun.file(file).text(), {
    module: true,
    ecma: 2022,
    compress: { passes: 4 },
    mangle: true,
  });
  await Bun.write(file, code);
}

/**
 * Adds what the bundler would change. It makes modules of scripts, which run after the first paint: this one must run
 * before. Manifest and icon keep their addresses.
 */
function withHead(html: string, firstPaint: string): string {
  const tags = [
    `<script src="${firstPaint}"></script>`,
    '<link rel="manifest" href="/manifest.webmanifest">',
    '<link rel="apple-touch-icon" href="/icon-180.png">',
  ];
  return new HTMLRewriter()
    .on("head > title", { element: (title) => void title.after(tags.join(""), { html: true }) })
    .transform(html);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
