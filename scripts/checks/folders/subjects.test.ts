import { expect, test } from "bun:test";
import { projectFiles } from "./folder-size.ts";
import { checkSubjects, readSubjectTable } from "./subjects.ts";

const SUBJECTS = [
  { path: "alerts", not: [] },
  { path: "channels", not: [] },
  { path: "channels/authenticity", not: ["checks"] },
];
const FILES = [
  "src/domain/alerts/rules.ts",
  "src/domain/channels/authenticity/probes.ts",
  "src/console/channels/authenticity.ts",
  "src/console/channels/authenticity.test.ts",
  "src/lib/messages/alerts.ts",
  "ui/locales/en/alerts/alerts.json",
];
const problemsOf = (...files: string[]) => checkSubjects([...FILES, ...files], SUBJECTS).problems;

test("a subject is a folder or a file at the same place in each tree that has it", () => {
  expect(problemsOf()).toEqual([]);
  expect(problemsOf("ui/features/channels/authenticity/AuthenticityPage.tsx", "src/domain/README.md")).toEqual([]);
});

test.each([
  ["db/schema/accounts/alerts.ts", "db/schema/accounts/alerts: alerts in every tree"],
  [
    "ui/features/channels/list/authenticity/Page.tsx",
    "ui/features/channels/list/authenticity: channels/authenticity in every tree",
  ],
  ["ui/features/channels/checks/Page.tsx", "ui/features/channels/checks: channels/authenticity in every tree"],
  [
    "src/console/notices/send.ts",
    "src/console/notices: no subject; file it under one of CONTRIBUTING.md, or add it there",
  ],
])("%s is elsewhere, or under a name of its own", (file, problem) => {
  expect(problemsOf(file)).toContain(problem);
});

test("a file deeper down may be about one side of another subject", () => {
  expect(problemsOf("src/domain/channels/status/alerts.ts")).toEqual([]);
});

test("a subject of one tree is none", () => {
  const { problems } = checkSubjects(FILES, [...SUBJECTS, { path: "channels/tags", not: [] }]);
  expect(problems).toEqual(["CONTRIBUTING.md: channels/tags is in fewer than two trees"]);
});

test("the project's subjects are in order", async () => {
  expect(readSubjectTable().length).toBeGreaterThan(40);
  expect(checkSubjects(await projectFiles(), readSubjectTable())).toEqual({ problems: [] });
});
