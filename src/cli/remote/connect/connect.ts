import { hostname } from "node:os";
import { createInterface } from "node:readline/promises";
import { createTwoFilesPatch } from "diff";
import { addressOf, SiteError } from "../management-client.ts";
import type { ConnectCommand } from "../remote-arguments.ts";
import { type Access, AGENTS, type AgentDescription, type AgentFile } from "./agents.ts";
import { countTools, giveBack, listModels, type OfferedModel, signIn, testCall } from "./device.ts";
import { editSettings, SettingsError } from "./edit-settings.ts";
import { withMcp } from "./mcp-settings.ts";
import {
  type Connection,
  digestOf,
  type Edited,
  type Home,
  ownHome,
  placeOf,
  readConnections,
  readText,
  remove,
  writeConnections,
  writePrivate,
} from "./places.ts";

const say = (text: string) => void process.stdout.write(text);

/** Sets a coding agent up for a gateway, or takes it back. Returns the exit code. Rejects SiteError, SettingsError. */
export async function connect(command: ConnectCommand, env: NodeJS.ProcessEnv): Promise<number> {
  const home = ownHome(env);
  const connections = await readConnections(home);
  const { agent: name } = command;
  if (name === null) return listAgents(home, connections);
  const known = AGENTS[name];
  if (!known) throw new SiteError(`unknown agent ${name}: one of ${Object.keys(AGENTS).join(", ")}`);
  const agent = command.addsMcp ? withMcp(name, known) : known;
  if (!agent) throw new SiteError(`${known.name} has no settings of MCP servers that can be written: leave out --mcp`);
  if (command.undoes) return disconnect(home, connections, name);
  if (connections.has(name)) {
    throw new SiteError(
      `${agent.name} is connected to ${connections.get(name)?.url}: run sluice connect ${name} --undo first`,
    );
  }
  const url = addressOf(command.site, env);
  const isOwnKey = command.key === null;
  const key = command.key ?? (await signIn(url, { client: agent.name, machine: hostname() }, say));
  try {
    const model = await chooseModel(await listModels(url, key), command.model);
    const access = { url, key, model: model.id, contextWindow: model.contextWindow, outputLimit: model.outputLimit };
    const plan = await Promise.all(agent.files.map((file) => planFile(home, file, access)));
    for (const { file, before, after } of plan) say(showChange(file, before, after, key));
    if (plan.length > 0 && !command.isConfirmed && !(await confirm("Write it? (yes/no) "))) {
      throw new SiteError("nothing was changed; add --yes to write without being asked");
    }
    const files = await Promise.all(plan.map(writeFile));
    await writeConnections(home, new Map([...connections, [name, { url, key, isOwnKey, files }]]));
    if (command.addsMcp) await reportTools(url, key);
    return await report(agent, access);
  } catch (error) {
    // A key that no agent has would only lie around.
    if (isOwnKey && !(await readConnections(home)).has(name)) await giveBack(url, key).catch(() => {});
    throw error;
  }
}

/** Says what the gateway's MCP servers have for the agent; that they can't be reached is not a failure of its models. */
async function reportTools(url: string, key: string): Promise<void> {
  const tools = await countTools(url, key);
  if (typeof tools === "number") say(`${url}/mcp lists ${tools} tools for this key.\n`);
  else process.stderr.write(`sluice: the tools of ${url}/mcp can't be listed: ${tools}\n`);
}

async function report(agent: AgentDescription, access: Access): Promise<number> {
  for (const line of agent.byHand(access)) say(`${line}\n`);
  const problem = await testCall(access.url, access.key, access.model);
  if (problem === null) say(`${agent.name} is connected to ${access.url}: a call of ${access.model} worked.\n`);
  else process.stderr.write(`sluice: a call of ${access.model} failed: ${problem}\n`);
  return problem === null ? 0 : 1;
}

async function chooseModel(models: readonly OfferedModel[], requested: string | null): Promise<OfferedModel> {
  const shown = models.map(
    ({ id, contextWindow }, at) => `${String(at + 1).padStart(4)}  ${id}${windowOf(contextWindow)}`,
  );
  if (requested === null) {
    if (!process.stdin.isTTY)
      throw new SiteError(`choose a model with --model: ${models.map(({ id }) => id).join(", ")}`);
    say(`${shown.join("\n")}\n`);
  }
  const answer = requested ?? (await ask("Model (number or name): "));
  const found = models.find(({ id }) => id === answer) ?? models[Number(answer) - 1];
  if (!found) throw new SiteError(`the key may not use ${answer}: one of ${models.map(({ id }) => id).join(", ")}`);
  return found;
}

const windowOf = (contextWindow: number | null): string =>
  contextWindow === null ? "" : `  (${contextWindow.toLocaleString("en")} tokens)`;

type PlannedFile = Readonly<{
  file: string;
  format: AgentFile["format"];
  before: string;
  after: string;
  edited: Edited;
}>;

async function planFile(home: Home, file: AgentFile, access: Access): Promise<PlannedFile> {
  const place = placeOf(home, file);
  const text = await readText(place);
  const settings = file.values(access).map(([path, value]) => ({
    ...{ path, adds: file.adds ?? false },
    ...(value !== undefined && { value }),
  }));
  try {
    const { text: after, before } = editSettings(
      file.format,
      text,
      settings.filter(({ value }) => value !== undefined),
    );
    const backup = text === "" ? null : `${place}.before-sluice`;
    const edited = { file: place, format: file.format, backup, before, written: digestOf(after) };
    return { file: place, format: file.format, before: text, after, edited };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const requested = settings.map(({ path, value }) => `  ${path.join(".")}: ${JSON.stringify(value)}`);
    throw new SettingsError(`${place}: ${error.message}. Set this by hand, with --key:\n${requested.join("\n")}`);
  }
}

async function writeFile({ file, before, after, edited }: PlannedFile): Promise<Edited> {
  if (edited.backup !== null) await writePrivate(edited.backup, before);
  await writePrivate(file, after);
  return edited;
}

function showChange(file: string, before: string, after: string, key: string): string {
  const patch = createTwoFilesPatch(file, file, before, after, "", "", { context: 2 });
  return `${patch
    .split("\n")
    .slice(1)
    .join("\n")
    .replaceAll(key, `${key.slice(0, 5)}…${key.slice(-4)}`)}\n`;
}

/** Puts an agent's settings back, and gives its key back. What somebody changed since stays. */
async function disconnect(home: Home, connections: ReadonlyMap<string, Connection>, name: string): Promise<number> {
  const connection = connections.get(name);
  if (!connection) throw new SiteError(`${name} is not connected`);
  for (const { file, format, backup, before, written } of connection.files) {
    const text = await readText(file);
    const original = backup === null ? "" : await readText(backup);
    const restored = digestOf(text) === written ? original : editSettings(format, text, before).text;
    if (restored === "" || (backup === null && isEmptyObject(restored))) await remove(file);
    else await writePrivate(file, restored);
    if (backup !== null) await remove(backup);
    say(`${file} is as it was.\n`);
  }
  const others = new Map([...connections].filter(([agent]) => agent !== name));
  await writeConnections(home, others);
  if (!connection.isOwnKey) return 0;
  await giveBack(connection.url, connection.key);
  say("Its API key is deleted.\n");
  return 0;
}

const isEmptyObject = (text: string): boolean => text.replace(/\s/g, "") === "{}";

async function listAgents(home: Home, connections: ReadonlyMap<string, Connection>): Promise<number> {
  const rows = Object.entries(AGENTS).map(([name, agent]) => {
    const connection = connections.get(name);
    const state = connection ? `connected to ${connection.url}` : Bun.which(agent.command) ? "installed" : "";
    const files = agent.files.map((file) => placeOf(home, file)).join(", ") || "by hand";
    return [name, agent.name, files, state] as const;
  });
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    say(
      `${row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
  return 0;
}

async function confirm(question: string): Promise<boolean> {
  return process.stdin.isTTY ? /^y(es)?$/i.test(await ask(question)) : false;
}

async function ask(question: string): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question(question);
  asking.close();
  return answer.trim();
}
