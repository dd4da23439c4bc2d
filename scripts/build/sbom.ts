/**
 * Writes a bill of materials of the executable (CycloneDX 1.6, JSON) into dist/sbom/sluice.cdx.json: every package that
 * bun.lock resolves for the production dependencies, the runtime, and nothing that depends on when or where it is made.
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import packageJson from "../../package.json";

const ROOT = path.resolve(import.meta.dir, "../..");
export const SBOM_FILE = "dist/sbom/sluice.cdx.json";

/** What a package of bun.lock needs, as far as it matters here. */
type Needs = Readonly<{
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
  optionalPeers?: readonly string[];
}>;

/** Packages by their place: the name, behind the names of the packages that have a version of their own. */
type Lock = Readonly<{ packages: Readonly<Record<string, readonly [id: string, ...rest: unknown[]]>> }>;

type Component = Readonly<Record<string, unknown>> & Readonly<{ "bom-ref": string }>;

/** Makes the bill of materials. Returns its number of components. Throws where a package of the lock file is not installed. */
export async function writeSbom(): Promise<number> {
  const lock = parseLock(await Bun.file(path.join(ROOT, "bun.lock")).text());
  const sbom = await makeSbom(lock, Object.keys(packageJson.dependencies), readLicense);
  const file = path.join(ROOT, SBOM_FILE);
  await mkdir(path.dirname(file), { recursive: true });
  await Bun.write(file, `${JSON.stringify(sbom, null, 2)}\n`);
  return sbom.components.length;
}

/** The document for these direct dependencies. `licenseOf`: a package's license expression by its place; null: it names none. */
export async function makeSbom(
  lock: Lock,
  direct: readonly string[],
  licenseOf: (place: string) => Promise<string | null>,
) {
  const root = purlOf("sluice", packageJson.version);
  const edges = new Map<string, readonly string[]>();
  const components = new Map<string, Component>([[runtime["bom-ref"], runtime]]);
  const queue = direct.map((name) => resolve(lock, "", name, false));
  const directRefs = [runtime["bom-ref"], ...queue.flatMap((place) => (place ? [refOf(lock, place)] : []))];
  const seen = new Set<string>();
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    if (place === null || seen.has(place)) continue;
    seen.add(place);
    const ref = refOf(lock, place);
    const needed = neededBy(lock, place);
    queue.push(...needed);
    edges.set(ref, [...new Set([...(edges.get(ref) ?? []), ...needed.map((other) => refOf(lock, other))])].sort());
    components.set(ref, componentOf(lock, place, await licenseOf(place)));
  }
  const byRef = [...components.values()].toSorted((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": root,
        name: "sluice",
        version: packageJson.version,
        purl: root,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: byRef,
    dependencies: [
      { ref: root, dependsOn: [...new Set(directRefs)].sort() },
      ...byRef.map((component) => ({ ref: component["bom-ref"], dependsOn: edges.get(component["bom-ref"]) ?? [] })),
    ],
  };
}

/** The executable consists of it, too. */
const runtime: Component = {
  type: "platform",
  "bom-ref": purlOf("bun", Bun.version),
  name: "bun",
  version: Bun.version,
  purl: purlOf("bun", Bun.version),
  licenses: [{ license: { id: "MIT" } }],
};

/** bun.lock is JSON with commas behind the last members. */
export const parseLock = (text: string): Lock => JSON.parse(text.replace(/,(\s*[}\]])/g, "$1"));

function componentOf(lock: Lock, place: string, license: string | null): Component {
  const { name, version } = idOf(lock, place);
  const integrity = lock.packages[place]?.findLast((part) => typeof part === "string" && part.startsWith("sha512-"));
  const [scope, bare] = name.startsWith("@") ? name.split("/") : [null, name];
  return {
    type: "library",
    "bom-ref": purlOf(name, version),
    ...(scope && { group: scope }),
    name: bare,
    version,
    purl: purlOf(name, version),
    ...(license && { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] }),
    ...(typeof integrity === "string" && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }],
    }),
  };
}

function neededBy(lock: Lock, place: string): string[] {
  const needs = (lock.packages[place]?.find((part) => typeof part === "object" && part !== null) ?? {}) as Needs;
  const optionalPeers = new Set(needs.optionalPeers);
  const peers = Object.keys(needs.peerDependencies ?? {}).filter(
    // What only development needs is no part of the executable, although a package would use it.
    (name) => !optionalPeers.has(name) && !Object.hasOwn(packageJson.devDependencies, name),
  );
  return [
    ...Object.keys(needs.dependencies ?? {}).map((name) => resolve(lock, place, name, false)),
    ...[...Object.keys(needs.optionalDependencies ?? {}), ...peers].map((name) => resolve(lock, place, name, true)),
  ].filter((found) => found !== null);
}

/** The place of a package as another one finds it: nearest first, as the runtime does. Throws where a required one is missing. */
function resolve(lock: Lock, from: string, name: string, isOptional: boolean): string | null {
  const owners = from === "" ? [] : (from.match(/@[^/]+\/[^/]+|[^/]+/g) ?? []);
  for (let depth = owners.length; depth >= 0; depth -= 1) {
    const place = [...owners.slice(0, depth), name].join("/");
    if (Object.hasOwn(lock.packages, place)) return place;
  }
  if (isOptional) return null;
  throw new Error(`bun.lock lacks ${name}, which ${from || "package.json"} needs`);
}

function idOf(lock: Lock, place: string): Readonly<{ name: string; version: string }> {
  const id = lock.packages[place]?.[0] ?? "";
  const at = id.lastIndexOf("@");
  return { name: id.slice(0, at), version: id.slice(at + 1) };
}

function refOf(lock: Lock, place: string): string {
  const { name, version } = idOf(lock, place);
  return purlOf(name, version);
}

function purlOf(name: string, version: string): string {
  return `pkg:${name === "bun" ? "generic" : "npm"}/${name.replace("@", "%40")}@${version}`;
}

async function readLicense(place: string): Promise<string | null> {
  const names = place.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
  const file = Bun.file(path.join(ROOT, "node_modules", names.join("/node_modules/"), "package.json"));
  // Optional packages of other platforms are not installed.
  if (!(await file.exists())) return null;
  const { license }: { license?: unknown } = await file.json();
  return typeof license === "string" ? license : null;
}

if (import.meta.main) process.stdout.write(`${SBOM_FILE}: ${await writeSbom()} components\n`);
