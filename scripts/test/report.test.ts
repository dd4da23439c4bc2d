import { expect, test } from "bun:test";
import { readReport, renderSkipped, renderSlowest, renderTimings } from "./report.ts";

test("reads the totals of a report; skipped tests are neither passed nor failed", () => {
  const report = '<?xml version="1.0"?><testsuites name="bun test" tests="9" assertions="20" failures="2" skipped="3">';
  expect(readReport(report)).toEqual({ passed: 4, failed: 2, failures: [], files: [] });
});

test("names what failed, with its group and file", () => {
  const report = `<testsuites tests="3" failures="2" skipped="0">
    <testcase name="right" classname="group" file="a.test.ts" assertions="1" />
    <testcase name="wrong &lt; &amp;amp;" classname="group" file="a.test.ts" assertions="1">
      <failure type="AssertionError" message="x"></failure>
    </testcase>
    <testcase name="alone" classname="" file="b.test.ts" assertions="1"><failure type="Error" message="y" /></testcase>
  </testsuites>`;
  expect(readReport(report).failures).toEqual([
    { file: "a.test.ts", name: "group > wrong < &amp;" },
    { file: "b.test.ts", name: "alone" },
  ]);
});

test("says how long each file took, and names the slowest", () => {
  const report = `<testsuites tests="2" failures="0" skipped="0">
    <testsuite name="a.test.ts" file="a.test.ts" tests="4" skipped="3" time="1.25"><testsuite name="group" file="a.test.ts" time="1" />
    </testsuite><testsuite name="b.test.ts" file="b.test.ts" tests="1" time="20.04"></testsuite></testsuites>`;
  const { files } = readReport(report);
  expect(files).toEqual([
    { file: "a.test.ts", seconds: 1.25, skipped: 3 },
    { file: "b.test.ts", seconds: 20.04, skipped: 0 },
  ]);
  expect(renderSlowest(files, 1)).toBe("   20.0 s  b.test.ts\n");
});

test("the timings name each file once, with its longer run", () => {
  const files = [
    { file: "b.test.ts", seconds: 1.5, skipped: 0 },
    { file: "a.test.ts", seconds: 0.0444, skipped: 0 },
    { file: "b.test.ts", seconds: 0.2, skipped: 0 },
  ];
  expect(JSON.parse(renderTimings(files))).toEqual({ version: 1, files: { "a.test.ts": 44, "b.test.ts": 1500 } });
});

test("one line names the suites that lack something, with the tests that were skipped", () => {
  const files = [
    { file: "a.test.ts", seconds: 1, skipped: 3 },
    { file: "b.test.ts", seconds: 1, skipped: 5 },
    { file: "a.test.ts", seconds: 1, skipped: 3 },
  ];
  expect(renderSkipped(files, ["a.test.ts", "c.test.ts"], "../samples")).toBe(
    "skipped without ../samples: 3 tests in 2 suites: a.test.ts (3), c.test.ts (0)\n",
  );
  expect(renderSkipped(files, [], "../samples")).toBe("");
});
