import { appendFile } from "node:fs/promises";

/** How a page looks: its elements in the order of the document, each with the place of its parent (-1: none) and its kind. */
export type Look = Readonly<{
  /** The color scheme and the width. */
  setting: string;
  /** Each a tag with its classes and attributes, whether it has text of its own and whether it overflows. */
  kinds: readonly string[];
  elements: readonly Readonly<{ parent: number; kind: number }>[];
}>;

/** A part with fewer elements takes as long to leave out as to look at. */
const MIN_ELEMENTS = 6;

/**
 * Remembers which parts of pages were found right, so that the same is not looked at again when a dialog opens on it, after a
 * step that changed something elsewhere, or with other words. Two parts look the same when the color scheme, the width of
 * the page, the kinds of all elements around them and the kinds of all within are the same; one after another that
 * are the same count as one, so that a list may have more rows. Words don't matter, nor do names of elements, only that
 * there are some. So text in another language is not looked at again, but every control, class, role and state is once.
 * Processes that are given the same file remember together.
 */
export function createSeenLooks(file?: string) {
  const seen = createKeys(file);
  return {
    /** The places of the largest parts that were seen; [0] when nothing is new. */
    async find(look: Look): Promise<number[]> {
      await seen.read();
      const { keys, sizes } = describeParts(look);
      const found: number[] = [];
      for (let at = 0; at < keys.length; ) {
        const isSeen = seen.has(keys[at] ?? "");
        if (isSeen && (at === 0 || (sizes[at] ?? 0) >= MIN_ELEMENTS)) found.push(at);
        at += isSeen ? (sizes[at] ?? 1) : 1;
      }
      return found;
    },
    /** Remembers all parts of a page. */
    add: (look: Look): Promise<void> => seen.add(describeParts(look).keys),
  };
}

/** A set of keys; processes that are given the same file have it together, once they have read what others added. */
function createKeys(file?: string) {
  const keys = new Set<string>();
  let readBytes = 0;
  return {
    has: (key: string) => keys.has(key),
    async read(): Promise<void> {
      if (!file || !(await Bun.file(file).exists())) return;
      const text = await Bun.file(file).slice(readBytes).text();
      // The last line may be incomplete. Keys are ASCII.
      const length = text.lastIndexOf("\n") + 1;
      for (const key of text.slice(0, length).split("\n")) keys.add(key);
      readBytes += length;
    },
    async add(more: readonly string[]): Promise<void> {
      const added = [...new Set(more)].filter((key) => !keys.has(key));
      for (const key of added) keys.add(key);
      if (file && added.length > 0) await appendFile(file, `${added.join("\n")}\n`);
    },
  };
}

/** For each element a key of how it looks with all around and within it, and the number of elements from it to its last. */
function describeParts({ setting, kinds, elements }: Look): { keys: string[]; sizes: number[] } {
  const hashes = kinds.map(hash);
  const kindOf = (kind: number) => hashes[kind] ?? "";
  const within: string[][] = elements.map(() => []);
  const sizes = elements.map(() => 1);
  const insides: string[] = [];
  for (let at = elements.length - 1; at >= 0; at--) {
    const { parent = -1, kind = 0 } = elements[at] ?? {};
    // The last child comes first.
    const inside = hash(`${kindOf(kind)} ${[...new Set(within[at])].reverse().join(" ")}`);
    insides[at] = inside;
    within[parent]?.push(inside);
    if (parent >= 0) sizes[parent] = (sizes[parent] ?? 1) + (sizes[at] ?? 1);
  }
  const around: string[] = [];
  const keys = elements.map(({ parent, kind }, at) => {
    const outside = around[parent] ?? setting;
    around[at] = hash(`${outside} ${kindOf(kind)}`);
    return hash(`${outside} ${insides[at]}`);
  });
  return { keys, sizes };
}

const hash = (text: string): string => Bun.hash(text).toString(36);
