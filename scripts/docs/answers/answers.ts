/**
 * Writes what the calls under /api answer, as schemas made from the types of their handlers, for the OpenAPI document: the
 * document cannot say what the routes do not return. With --check it writes nothing, and fails where the file is outdated.
 */
import path from "node:path";
import ts from "typescript-api";
import { type Schema, schemaMaker } from "./schema.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const FILE = path.join(ROOT, "src/server/control-plane/api-reference/answers.json");
const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

/** Schemas by name, and of the answers by operation (`GET /api/token`, without a slash at the end). */
export type Answers = Readonly<{ schemas: Record<string, Schema>; answers: Record<string, Schema> }>;

const byName = <Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Reads the types of every group of routes: the functions that are exported as `…Routes`. */
export function readAnswers(): Answers {
  const files = [...new Bun.Glob("src/console/**/*.ts").scanSync({ cwd: ROOT, absolute: true })]
    .filter((file) => !file.endsWith(".test.ts"))
    .sort();
  const program = ts.createProgram(files, optionsOf(path.join(ROOT, "tsconfig.json")));
  const checker = program.getTypeChecker();
  const { schemaOf, named } = schemaMaker(
    checker,
    program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${ROOT}/src/`)),
  );
  const answers = new Map<string, Schema>();

  const visit = (routes: ts.Type, route: string): void => {
    for (const property of routes.getProperties()) {
      const type = checker.getTypeOfSymbol(property);
      const response = METHODS.has(property.name) ? type.getProperty("response") : undefined;
      if (!response) {
        visit(type, `${route}/${property.name.replace(/^:(\w+)\??$/, "{$1}")}`);
        continue;
      }
      const success = checker.getTypeOfSymbol(response).getProperty("200");
      const schema = success && schemaOf(checker.getTypeOfSymbol(success));
      if (schema) answers.set(`${property.name.toUpperCase()} ${route}`, schema);
    }
  };
  for (const file of files) {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      if (!exported.name.endsWith("Routes") || !source) continue;
      const returned = checker.getTypeOfSymbolAtLocation(exported, source).getCallSignatures()[0]?.getReturnType();
      const routes = returned?.getProperty("~Routes");
      if (routes) visit(checker.getTypeOfSymbol(routes), "");
    }
  }
  return { schemas: byName(named), answers: byName(answers) };
}

function optionsOf(config: string): ts.CompilerOptions {
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, ROOT);
  return { ...options, incremental: false, tsBuildInfoFile: undefined };
}

/** One line for each schema and answer, so that changes can be read. */
function textOf({ schemas, answers }: Answers): string {
  const lines = (entries: Record<string, Schema>) =>
    Object.entries(entries)
      .map(([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(schema)}`)
      .join(",\n");
  return `{\n  "schemas": {\n${lines(schemas)}\n  },\n  "answers": {\n${lines(answers)}\n  }\n}\n`;
}

if (import.meta.main) {
  const text = textOf(readAnswers());
  if (!process.argv.includes("--check")) await Bun.write(FILE, text);
  else if ((await Bun.file(FILE).text()) !== text) {
    process.stderr.write("the answers of the API have changed: run `bun scripts/docs/answers/answers.ts`\n");
    process.exit(1);
  }
}
