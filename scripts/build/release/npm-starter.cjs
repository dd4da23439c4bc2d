#!/usr/bin/env node
// Starts the program of this machine's package; signals and the exit code pass through.
const { spawn } = require("node:child_process");
const { platform, arch } = process;

function fail(reason) {
  process.stderr.write(`sluice: ${reason}\n`);
  process.exit(1);
}

/** Whether the C library is musl: Node reports the version of glibc if it is that. */
const isMusl = () => platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;

const system = platform === "win32" ? "windows" : platform;
const name = `@sluice/${system}-${arch}${isMusl() ? "-musl" : ""}`;
let program;
try {
  program = require.resolve(`${name}/${platform === "win32" ? "sluice.exe" : "sluice"}`);
} catch {
  fail(`${name} is not installed: there is no package for this machine, or optional dependencies were left out`);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => fail(error.message));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
