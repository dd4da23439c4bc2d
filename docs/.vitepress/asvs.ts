import asvs from "../contributing/asvs.json";

/** A requirement of OWASP's ASVS: how it is met or why it is not, and the tests that hold it, each as `file › title`. */
export type Requirement = Readonly<{ id: string; state: string; how: string; tests: readonly string[] }>;

/** The requirements of levels 1 and 2, in the standard's order. */
export const requirements: readonly Requirement[] = asvs.requirements;

const MARK = "<!-- asvs -->";

/** The text of a page with the tables of all requirements, a chapter each, in place of their mark; without a mark as it is. */
export const withRequirements = (text: string): string =>
  text.replace(MARK, () => Object.entries(asvs.chapters).map(chapterTable).join("\n\n"));

function chapterTable([chapter, title]: [chapter: string, title: string]): string {
  const rows = requirements.filter(({ id }) => id.startsWith(`${chapter}.`));
  return [`## ${chapter} ${title}`, "", "| | | How | Test |", "| - | - | - | - |", ...rows.map(row)].join("\n");
}

const row = ({ id, state, how, tests }: Requirement): string =>
  `| ${id} | ${state} | ${how} | ${tests.map((test) => test.replace(/^(.+?) › (.*)$/, '`$1` › "$2"')).join(", ")} |`;
