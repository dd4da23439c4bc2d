/** Every way that a text or a page of the documentation describes leads somewhere: "Settings → System → Taxes", "Billing → Plans". */
import { expect, test } from "bun:test";
import { catalogue } from "../../src/lib/messages.ts";
import { type DocPage, readChinesePages, readPages } from "../../test/support/docs/pages.ts";
import { SECTIONS } from "../features/settings/sections.ts";
import { wordOf } from "../features/settings/setting-field.ts";
import { NAV } from "../features/system/shell/nav.ts";
import * as en from "./en.ts";
import * as zh from "./zh.ts";

/** Every language has the same names. */
type Texts = Pick<typeof en | typeof zh, "shell" | "settings">;
/** What stands at a place of the console, by its name: pages under a group, sections under a tab, fields under a section. */
type Places = { [name: string]: Places | null };

/** Pages of which only the first level is known: what stands on them has no names of its own in a list. */
const ANYTHING = null;

function placesOf({ shell, settings }: Texts): Places {
  const places: Places = {};
  for (const { items } of NAV) {
    for (const { label, group } of items) {
      places[shell[label]] = ANYTHING;
      if (group) places[shell.groups[group]] = { ...places[shell.groups[group]], [shell[label]]: ANYTHING };
    }
  }
  const tabs: Places = {};
  const fields: Readonly<Record<string, { label: string }>> = settings.fields;
  const titles: Readonly<Record<string, { title: string }>> = settings.sections;
  for (const { tab, id, fields: inSection } of SECTIONS) {
    const labels = inSection.map(({ key }) => [fields[wordOf(key)]?.label ?? "", ANYTHING] as const);
    tabs[settings.tabs[tab]] = { ...tabs[settings.tabs[tab]], [titles[id]?.title ?? ""]: Object.fromEntries(labels) };
  }
  // Fields are also named right under their tab.
  for (const sections of Object.values(tabs)) {
    for (const inSection of Object.values({ ...sections })) if (sections) Object.assign(sections, inSection);
  }
  places[shell.settings] = tabs;
  return places;
}

const ARROW = /^[\s*”"」]*→[\s*“"「]*/;

/** Follows the way that begins with `places` at the start of a text; the part that leads nowhere, else null. */
function deadEnd(text: string, places: Places): string | null {
  const name = Object.keys(places)
    .filter((each) => each !== "" && text.startsWith(each))
    .toSorted((one, other) => other.length - one.length)[0];
  if (name === undefined) return text.slice(0, 60);
  const rest = text.slice(name.length);
  const inside = places[name];
  const arrow = ARROW.exec(rest)?.[0];
  return arrow && inside ? deadEnd(rest.slice(arrow.length), inside) : null;
}

function deadEndsOf(written: string, places: Places, starts = Object.keys(places)): string[] {
  const text = written.replaceAll(/\s+/g, " ");
  const found = [];
  for (const start of starts.filter((name) => places[name] !== ANYTHING)) {
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
      const arrow = ARROW.exec(text.slice(at + start.length));
      const before = text.slice(Math.max(0, at - 4), at);
      if (!arrow || /→[\s*]*$/.test(before)) continue;
      const wrong = deadEnd(text.slice(at + start.length + arrow[0].length), places[start] ?? {});
      if (wrong !== null) found.push(`${start} → ${wrong}`);
    }
  }
  return found;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) yield* textsIn(each);
}

/** Names of one word that Chinese texts have before an arrow for other reasons, too. */
const STARTS = { en: undefined, zh: [zh.shell.settings] };
/** What a program writes into a page: the console's texts, which are followed above. */
const GENERATED = /<!-- ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g;

const PLACES = { en: placesOf(en), zh: placesOf(zh) };

test("there is something to follow", () => {
  expect(deadEndsOf("Open **Settings → System → Taxes**.", PLACES.en)).toEqual([]);
  expect(deadEndsOf("Open **Settings → Harbor → Taxes**.", PLACES.en)).toEqual(["Settings → Harbor → Taxes**."]);
  expect(deadEndsOf("Open **Billing → Plans → Coupons**.", PLACES.en)).toEqual([]);
  expect(deadEndsOf("Open **Billing → Roles**.", PLACES.en)).toEqual(["Billing → Roles**."]);
});

test.each([
  ["en", en],
  ["zh", zh],
] as const)("the console's texts in %s", (language, texts) => {
  const messages = Object.values(catalogue).map((message) => message[language]);
  const all = [...textsIn(texts), ...messages];
  expect(all.flatMap((text) => deadEndsOf(text, PLACES[language], STARTS[language]))).toEqual([]);
});

test.each(["fr", "ja", "ru", "vi", "zh-TW"])("the console's texts in %s", async (language) => {
  const texts = await Bun.file(`${import.meta.dir}/translations/${language}.json`).json();
  const messages = await Bun.file(`${import.meta.dir}/../../src/lib/messages/translations/${language}.json`).json();
  const places = placesOf(texts);
  const all = [...textsIn(texts), ...textsIn(messages)];
  expect(all.flatMap((text) => deadEndsOf(text, places, [texts.shell.settings]))).toEqual([]);
});

test("the documentation", () => {
  const wrongIn = (pages: readonly DocPage[], places: Places) =>
    pages.flatMap(({ path, text }) => deadEndsOf(text.replace(GENERATED, ""), places).map((end) => `${path}: ${end}`));
  expect(wrongIn(readPages(), PLACES.en)).toEqual([]);
  expect(wrongIn(readChinesePages(), PLACES.zh)).toEqual([]);
});
