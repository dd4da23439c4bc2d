import { type AnyKind, anyKind } from "../kind.ts";
import { alertDestinationsKind, alertRulesKind } from "./alerts.ts";
import { budgetsKind } from "./budgets.ts";
import { channelsKind } from "./channels.ts";
import { groupsKind } from "./groups.ts";
import { keysKind } from "./keys.ts";
import { guardrailsKind, pricesKind, routesKind } from "./models.ts";
import { optionsKind } from "./options.ts";
import { organizationsKind } from "./organizations.ts";
import { plansKind } from "./plans.ts";
import { sinksKind } from "./sinks.ts";
import { usersKind } from "./users.ts";

/** Every kind of resource, each after those that it names. */
export const KINDS: readonly AnyKind[] = [
  ...[anyKind(optionsKind), anyKind(groupsKind), anyKind(pricesKind), anyKind(routesKind)],
  ...[anyKind(guardrailsKind), anyKind(plansKind)],
  ...[anyKind(usersKind), anyKind(channelsKind), anyKind(organizationsKind), anyKind(keysKind), anyKind(budgetsKind)],
  ...[anyKind(alertDestinationsKind), anyKind(alertRulesKind), anyKind(sinksKind)],
];
