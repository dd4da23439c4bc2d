import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { $ } from "bun";
import { runtimeSettings } from "../../../src/lib/runtime/prepare-runtime.ts";
import { createApiKey, createChannel, setOption, setUp } from "../../../test/support/e2e/console-client.ts";
import { startFakeUpstream } from "../../../test/support/e2e/fake-upstream/fake-upstream.ts";
import { freePort } from "../../../test/support/lib/free-port.ts";
import { type Image, readArguments } from "./dockerfile.ts";

/** The user of the image's tag `nonroot`. */
const USER = "65532:65532";
const QEMU = "/usr/bin/qemu-aarch64-static";
/** In QEMU the first start takes 20 s on two busy cores. */
const READY_MS = 180_000;
/** Character devices of every container, by their minor number. */
const DEVICES = { null: 3, zero: 5, random: 8, urandom: 9 } as const;
/** In a name space of its own, so that the mount ends with the process; $0 is the root folder. */
const MOUNTED = 'mount -t proc proc "$0/proc" && exec "$@"';
const MODEL = "container-model";

/**
 * Starts a root folder as a container engine would start its image: in it alone, as its user, with its environment, entry
 * point and command; sets it up, makes a call through it, asks its health check and stops it. Returns what was seen, a line
 * each. Throws where something of it fails.
 */
export async function startImage(root: string, image: Image, platform: string): Promise<string[]> {
  const value = (name: string) => image.instructions.findLast((each) => each.name === name)?.value ?? "";
  const emulator = platform === process.arch.replace("x64", "amd64") ? [] : [QEMU];
  const port = await freePort();
  const variables = image.instructions.filter(({ name }) => name === "ENV").map((each) => each.value.split("="));
  const env = {
    ...Object.fromEntries(variables),
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    PORT: String(port),
    ALLOW_PRIVATE_UPSTREAMS: "true",
    // A process in QEMU can't replace itself, so it is given what it would replace itself for.
    ...(emulator.length > 0 && runtimeSettings({})),
  };
  const inside = (command: readonly string[]) => [
    ...["unshare", "--mount", "sh", "-c", MOUNTED, root, "chroot", `--userspec=${USER}`, root],
    ...[...emulator, ...command],
  ];
  if (emulator.length > 0) {
    await mkdir(path.dirname(root + QEMU), { recursive: true });
    await copyFile(QEMU, root + QEMU);
  }
  for (const folder of ["proc", "dev", "tmp"]) await mkdir(path.join(root, folder), { recursive: true });
  await $`chmod 1777 ${root}/tmp`.quiet();
  for (const [name, minor] of Object.entries(DEVICES)) await $`mknod -m 666 ${root}/dev/${name} c 1 ${minor}`.quiet();
  const entry = readArguments(value("ENTRYPOINT"));
  const child = Bun.spawn(inside([...entry, ...readArguments(value("CMD"))]), {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  try {
    const version = await $`${inside([...entry, "--version"])}`.env(env).text();
    const started = performance.now();
    const url = `http://127.0.0.1:${port}`;
    while (!(await isReady(url))) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${(await output).join("\n")}`);
      if (performance.now() - started > READY_MS) throw new Error("it was not ready in time");
      await Bun.sleep(100);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    await call(url);
    const check = readArguments(value("HEALTHCHECK").slice(value("HEALTHCHECK").indexOf("[")));
    await $`${inside(check)}`.env(env).quiet();
    child.kill(value("STOPSIGNAL") === "SIGTERM" ? "SIGTERM" : "SIGKILL");
    const code = await child.exited;
    if (code !== 0) throw new Error(`it ended with ${code}: ${(await output).join("\n")}`);
    return [version.trim(), `ready after ${seconds} s, made a call, healthy, stopped with 0`];
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

/** Sets the gateway up, sees its console, and makes a chat call through it to an upstream here. */
async function call(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  if (!page.includes('id="root"')) throw new Error(`not the console: ${page.slice(0, 300)}`);
  const root = await setUp({ url });
  const upstream = startFakeUpstream();
  try {
    await setOption(root, "ModelRatio", { [MODEL]: 1 });
    await createChannel(root, upstream.url, [MODEL]);
    const { key } = await createApiKey(root);
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
    });
    const text = await reply.text();
    if (reply.status !== 200 || !text.includes("chat.completion"))
      throw new Error(`the call got ${reply.status}: ${text}`);
  } finally {
    await upstream.stop();
  }
}

const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/readyz`).catch(() => null))?.ok ?? false;
