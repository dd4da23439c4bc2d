import path from "node:path";

/** An instruction of an image: its name in capitals, and what follows it with continued lines joined. */
export type Instruction = Readonly<{ name: string; value: string }>;

/** An image that a Dockerfile builds; `base`: what follows FROM; `name`: what follows AS, or nothing. */
export type Image = Readonly<{ base: string; name: string; instructions: readonly Instruction[] }>;

const FROM = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/i;
const FLAG = /^--(\w+)=(\S+) /;

/** The images that a Dockerfile builds (https://docs.docker.com/reference/dockerfile/), as far as ours uses the format. */
export function readDockerfile(text: string): Image[] {
  const images: { base: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of text.replace(/\\\n/g, " ").split("\n")) {
    const [, name, value] = /^([A-Z]+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (!name || !value) continue;
    if (name === "FROM") {
      const [, base, alias] = FROM.exec(value) ?? [];
      if (!base) throw new Error(`the Dockerfile has a FROM that can't be read: ${value}`);
      images.push({ base, name: alias ?? "", instructions: [] });
      continue;
    }
    const image = images.at(-1);
    if (!image) throw new Error(`the Dockerfile begins with ${name}`);
    image.instructions.push({ name, value });
  }
  return images;
}

/** What a COPY takes: `from` which image (nothing: the context), which owner, which paths, and to where. */
export type Copy = Readonly<{ from: string; owner: string; sources: readonly string[]; target: string }>;

/** Reads what follows COPY. Throws when it names no target. */
export function readCopy(value: string): Copy {
  const flags: Record<string, string> = {};
  let rest = value;
  for (let flag = FLAG.exec(rest); flag; flag = FLAG.exec(rest)) {
    flags[flag[1] ?? ""] = flag[2] ?? "";
    rest = rest.slice(flag[0].length);
  }
  const paths = rest.split(/\s+/);
  const target = paths.pop();
  if (!target || paths.length === 0) throw new Error(`COPY without a target: ${value}`);
  return { from: flags.from ?? "", owner: flags.chown ?? "", sources: paths, target };
}

/** The arguments of an instruction in its JSON form, such as CMD ["serve"]. Throws where it has another form. */
export function readArguments(value: string): string[] {
  const read: unknown = JSON.parse(value);
  if (!Array.isArray(read)) throw new Error(`not a list: ${value}`);
  return read.map(String);
}

/** Where a COPY puts one of its paths: into a folder, or under the target's own name. */
export const placeOf = ({ sources, target }: Copy, source: string): string =>
  sources.length > 1 || target.endsWith("/") ? path.join(target, path.basename(source)) : target;
