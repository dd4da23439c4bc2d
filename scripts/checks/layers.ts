import type { IConfiguration, IRegularForbiddenRuleType } from "dependency-cruiser";

/**
 * The rules of dependency-cruiser: which module may import which, and no cycles. ARCHITECTURE.md shows the same layers.
 * swc parses, because TypeScript 7 has no compiler API for dependency-cruiser yet.
 */

/**
 * The modules, upper layers first. A module imports from its own layer and the layers below, never from above: so each
 * can be read, tested and changed knowing only what it depends on.
 */
const LAYERS: readonly (readonly string[])[] = [
  ["main", "cli"],
  ["server/outage"],
  ["server/app"],
  ["server/benchmark"],
  ["server/gateway-services", "server/control-plane"],
  ["server/services"],
  ["server/health", "server/workers"],
  ["console", "gateway"],
  ["cli/import", "server/jobs", "domain/system"],
  [
    ...["domain/accounts", "domain/alerts", "domain/api-keys", "domain/channels", "domain/logs"],
    ...["domain/models", "domain/notifications", "domain/playground", "domain/tasks", "domain/wallet"],
  ],
  ["billing", "providers", "settings"],
  ["formats", "db"],
  ["catalog"],
  ["server/config", "server/variables", "server/version"],
  ["lib"],
];

/** A module's files: `name.ts`, or everything in the folder `name`. `cli` leaves out `cli/import`, a module of its own. */
function filesOf(module: string): string {
  if (module === "db") return "^db/";
  if (module === "cli") return "^src/cli/(?!import/)";
  return `^src/${module}([.]ts$|/)`;
}

const forbid = (
  name: string,
  comment: string,
  from: IRegularForbiddenRuleType["from"],
  to: IRegularForbiddenRuleType["to"],
): IRegularForbiddenRuleType => ({ name, comment, severity: "error", from, to });

const layerRules = LAYERS.flatMap((modules, layer) => {
  const upper = LAYERS.slice(0, layer).flat();
  if (upper.length === 0) return [];
  return forbid(
    `${modules[0]}-imports-downwards`,
    "Imports point down the layers, so that a module can be understood without those that use it. Move what both " +
      "need down, or pass it in as an argument.",
    { path: modules.map(filesOf) },
    { path: upper.map(filesOf) },
  );
});

/** What the console checks before it sends a form, and the server checks again. */
const INPUT_RULES = "^src/catalog/entry[.]ts$|^src/domain/.*-rules[.]ts$";

const configuration: IConfiguration = {
  forbidden: [
    ...layerRules,
    forbid(
      "features-below-no-page",
      "What pages share knows no page.",
      { path: "^ui/(api|components|lib|locales|state|theme)/" },
      { path: "^ui/features/" },
    ),
    forbid(
      "console-knows-no-gateway",
      "Only src/server/app.ts joins the management API and the data plane, so that either can change alone.",
      { path: filesOf("console") },
      { path: filesOf("gateway") },
    ),
    forbid(
      "gateway-knows-no-console",
      "The data plane must not wait for the management API or break with it. src/server/app.ts joins them.",
      { path: filesOf("gateway") },
      { path: filesOf("console") },
    ),
    forbid(
      "gateway-knows-no-single-provider",
      "The gateway finds providers in the registry, so that one can be added or changed alone. What several need is in " +
        "src/providers/shared or contract.",
      { path: filesOf("gateway") },
      { path: "^src/providers/(chinese-labs|hosts|labs|media|self-hosted)/" },
    ),
    forbid(
      "formats-are-pure",
      "Formats use no fetch, no clock and no database, so that bytes alone test every format.",
      { path: filesOf("formats") },
      { path: filesOf("db") },
    ),
    forbid(
      "ui-takes-only-types",
      "The console uses `import type` for files of the server, except for sentences that both say and rules of input that both " +
        "check. Otherwise server code ends up in the browser.",
      { path: "^ui/" },
      {
        path: "^(src|db)/",
        pathNot: ["^src/lib/messages/(gateway|translations)", INPUT_RULES],
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid(
      "rules-run-in-browsers",
      "Rules of input run in the console too: they import nothing but types, other rules and pure functions.",
      { path: INPUT_RULES },
      {
        path: "^(src|db)/",
        pathNot: [INPUT_RULES, "^src/lib/security/ip-list[.]ts$", "^src/lib/(field-readers|values/decimal)[.]ts$"],
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid(
      "server-knows-no-ui",
      "The server knows the console only as files to serve.",
      { path: "^(src|db)/" },
      { path: "^ui/" },
    ),
    forbid(
      "product-without-tools",
      "scripts/ and test/ are no part of the product.",
      { path: "^(src|db|ui)/" },
      { path: "^(scripts|test)/" },
    ),
    forbid(
      "module-has-a-layer",
      "A new module needs a place in the layers of scripts/checks/layers.ts.",
      { path: "^src/", pathNot: LAYERS.flat().map(filesOf) },
      {},
    ),
    forbid(
      "no-cycles",
      "A cycle of imports runs in an order that depends on which file is loaded first. Move what both sides need into a " +
        "file of its own. Type imports don't count: they are gone at run time.",
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    ),
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["node_modules", "^ui/dist/", "[.]test[.]tsx?$"] },
    enhancedResolveOptions: { extensions: [".ts", ".tsx", ".js", ".json"] },
  },
};

export default configuration;
