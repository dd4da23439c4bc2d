import { expect, test } from "bun:test";
import { version } from "../../../package.json";
import { runCommand } from "../../support/processes/run-command.ts";

const run = (...args: string[]) => runCommand(args);

test("--version names the release and its commit", async () => {
  const { code, out } = await run("--version");
  expect(code).toBe(0);
  const release = process.env.SLUICE_E2E_SOURCE === "1" ? "dev" : version;
  expect(out).toMatch(/^sluice \S+ \((?:[0-9a-f]{7,40}|unknown)\)\n$/);
  expect(out).toStartWith(`sluice ${release} (`);
});

test("--help lists the commands", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  for (const command of ["serve", "backup", "restore", "reset-password", "journal inspect", "journal replay"])
    expect(out).toContain(command);
});

test("an unknown command is refused with a hint", async () => {
  const { code, err } = await run("fly");
  expect(code).toBe(2);
  expect(err).toContain("--help");
});
