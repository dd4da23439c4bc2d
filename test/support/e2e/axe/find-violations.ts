import { readFileSync } from "node:fs";
import path from "node:path";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright";
import { createSeenLooks, type Look } from "./seen-looks.ts";

/** The library as the builder has it, without the comments, which every page would have to read. */
const AXE_SOURCE = readFileSync(
  Bun.resolveSync("axe-core/axe.min.js", path.dirname(Bun.resolveSync("@axe-core/playwright", import.meta.dir))),
  "utf8",
);
/** What the library's global object has; `_audit` is not documented: what a rule's findings are, if it has any. */
type Axe = Readonly<{
  _audit: { rules: readonly { id: string; impact: string | null }[] };
  run: (context: object, options: object) => Promise<Readonly<{ violations: readonly Violation[] }>>;
}>;
type Violation = Readonly<{ id: string; impact?: string | null; nodes: readonly Readonly<{ html: string }>[] }>;
let lesserRules: readonly string[] | undefined;

const { SLUICE_RUN_FOLDER } = process.env;
/** What axe found nothing wrong with in this run, by color scheme and width. */
const clean = createSeenLooks(SLUICE_RUN_FOLDER && path.join(SLUICE_RUN_FOLDER, "seen-looks"));

/**
 * What axe finds serious or critical on the page as it stands, in the parts that look otherwise than any it has passed before
 * (`createSeenLooks` says what looks the same). `withTargets`: everywhere, and also targets that are too small or too close to
 * others (WCAG 2.2, 2.5.8), which axe looks for only when asked.
 */
export async function findSeriousViolations(page: Page, withTargets = false): Promise<string[]> {
  const look = await page.evaluate(readLook);
  const seen = withTargets ? [] : await clean.find(look);
  // The page itself is the first element.
  if (seen[0] === 0) return [];
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE_SOURCE);
  lesserRules ??= await page.evaluate(() => {
    const { axe } = window as unknown as { axe: Axe };
    return axe._audit.rules.filter(({ impact }) => impact === "minor" || impact === "moderate").map(({ id }) => id);
  });
  const options = {
    // Only what is wrong is put together, by the rules that can find something of interest.
    resultTypes: ["violations"] satisfies ["violations"],
    rules: {
      ...Object.fromEntries(lesserRules.map((id) => [id, { enabled: false }])),
      ...(withTargets && { "target-size": { enabled: true } }),
    },
  };
  const violations = (await findViolations(page, options, seen))
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  if (violations.length === 0) await clean.add(look);
  return violations;
}

type Options = Readonly<{ resultTypes: ["violations"]; rules: Record<string, { enabled: boolean }> }>;

async function findViolations(page: Page, options: Options, seen: readonly number[]): Promise<readonly Violation[]> {
  if (page.frames().length > 1) {
    // No frames of other sites are looked into.
    const builder = new AxeBuilder({ page, axeSource: AXE_SOURCE }).options(options).setLegacyMode();
    return (await builder.analyze()).violations;
  }
  // Given to the builder the library would be run several times in every page.
  return page.evaluate(
    async ([options, seen]) => {
      const { axe, lookElements = [] } = window as unknown as { axe: Axe; lookElements?: readonly Element[] };
      const exclude = seen.flatMap((at) => lookElements[at] ?? []).filter((element) => element.isConnected);
      const { violations } = await axe.run({ include: [document], ...(exclude.length > 0 && { exclude }) }, options);
      return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => ({ html })) }));
    },
    [options, seen] as const,
  );
}

/** Describes every element of the open page, in the page itself, where `lookElements` holds them until the next time. */
function readLook(): Look {
  const references = /^(for|aria-(labelledby|describedby|controls|owns|details|errormessage|activedescendant|flowto))$/;
  /** Their values are words, numbers, addresses and names. */
  const free =
    /^(id|lang|href|src|srcset|alt|title|value|name|placeholder|content|d|points|transform|[xy][12]?|width|height|data-.*|aria-(label|roledescription|description|value.*|.*count|.*index|posinset|setsize|level|keyshortcuts))$/;
  const describeAttribute = ({ name, value }: Attr): string => {
    if (value === "") return `${name}=`;
    if (references.test(name)) return value.split(/\s+/).some((id) => document.getElementById(id)) ? name : `!${name}`;
    if (free.test(name)) return name;
    // Sizes and places are those of the words within.
    if (name === "style") return value.replace(/-?[\d.]+(px|%|r?em|m?s|deg|v[wh])/g, "");
    return `${name}=${value}`;
  };
  const describe = (element: Element): string => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
    const isOverflowing = element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
    const attributes = [...element.attributes].map(describeAttribute).join(" ");
    return `${element.tagName} ${attributes} ${hasText ? "text" : ""} ${isOverflowing ? "overflows" : ""}`;
  };
  const elements = [...document.querySelectorAll("*")];
  const places = new Map(elements.map((element, at) => [element, at]));
  const kinds = new Map<string, number>();
  const described = elements.map((element) => {
    const kind = describe(element);
    if (!kinds.has(kind)) kinds.set(kind, kinds.size);
    const parent = element.parentElement && places.get(element.parentElement);
    return { parent: parent ?? -1, kind: kinds.get(kind) ?? 0 };
  });
  Object.assign(window, { lookElements: elements });
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return { setting: `${isDark} ${window.innerWidth}`, kinds: [...kinds.keys()], elements: described };
}
