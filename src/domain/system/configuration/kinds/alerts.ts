import { asc, isNull } from "drizzle-orm";
import { alertDestinations } from "../../../../../db/schema/alerts.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { destinationType, isDestinationType } from "../../../alerts/destinations/destination-types.ts";
import {
  addDestination,
  changeDestination,
  deleteDestination,
  languageOfRow,
  listDestinations,
} from "../../../alerts/destinations.ts";
import { deleteRule, listRules, saveRule } from "../../../alerts/rules.ts";
import { decryptConfig } from "../../../logs/sinks/destination-config.ts";
import { type LogNote, type ManagementAction, writeManagementLog } from "../../../logs/write-log.ts";
import type { AlertDestinationEntry, AlertRuleEntry } from "../document.ts";
import { type Kind, listed, type Scope } from "../kind.ts";
import { secretFields } from "./sinks.ts";

const DESTINATION_DEFAULTS = {
  ...{ enabled: true, quiet_from: "", quiet_until: "", time_zone: "UTC", digest_minutes: 0, config: {} },
  language: "en",
} as const;

/** Where the site's alerts go. */
export const alertDestinationsKind: Kind<AlertDestinationEntry> = {
  section: "alert_destinations",
  right: "settings:write",
  hasNamesakes: true,
  defaults: DESTINATION_DEFAULTS,
  entriesOf: (document) => listed(document.alert_destinations, ({ name }) => name),
  secretsOf: ({ type, config }) =>
    secretFields(typeof type === "string" && isDestinationType(type) ? destinationType(type).fields : [], config),
  async open(scope) {
    const { db, vault } = scope;
    const rows = await db
      .select()
      .from(alertDestinations)
      .where(isNull(alertDestinations.userId))
      .orderBy(asc(alertDestinations.id));
    const stored = rows.map((row) => ({
      id: row.id,
      name: row.name,
      entry: {
        ...{ name: row.name, type: row.type, language: languageOfRow(row), enabled: row.enabled },
        ...{ quiet_from: row.quietFrom, quiet_until: row.quietUntil, time_zone: row.timeZone },
        ...{ digest_minutes: row.digestMinutes, config: decryptConfig(vault, row.configCipher) },
      } satisfies AlertDestinationEntry,
    }));
    const entryOf = new Map(stored.map(({ id, entry }) => [id, entry]));
    return {
      stored,
      async create(entry) {
        const { name } = await addDestination({ db, vault }, "site", { ...DESTINATION_DEFAULTS, ...entry });
        await log(
          scope,
          `Added the alert destination ${name}`,
          { code: "alert_destination_added", params: { name } },
          "create",
        );
      },
      async update({ id, name }, changed) {
        const before = entryOf.get(id);
        if (changed.type !== undefined) throw new OperationError("configuration_type_fixed");
        await changeDestination({ db, vault }, "site", id, { ...DESTINATION_DEFAULTS, name, ...before, ...changed });
        await log(
          scope,
          `Changed the alert destination ${name}`,
          { code: "alert_destination_changed", params: { name } },
          "update",
        );
      },
      async remove({ id, name }) {
        await deleteDestination({ db, vault }, "site", id);
        await log(
          scope,
          `Deleted the alert destination ${name}`,
          { code: "alert_destination_deleted", params: { name } },
          "delete",
        );
      },
    };
  },
};

const RULE_DEFAULTS = {
  threshold: 0,
  window_minutes: 0,
  period: "",
  per: "",
  subject: "",
  destinations: [],
  enabled: true,
};

const ruleName = ({ event, period = "", per = "", subject = "" }: AlertRuleEntry): string =>
  [event, period, per, subject].filter(Boolean).join("/");

/** Which events of the site are alerts. Several about the same are distinguished by their order. */
export const alertRulesKind: Kind<AlertRuleEntry> = {
  section: "alert_rules",
  right: "settings:write",
  hasNamesakes: true,
  defaults: RULE_DEFAULTS,
  entriesOf: (document) => listed(document.alert_rules, ruleName),
  secretsOf: () => [],
  async open(scope) {
    const { db, vault } = scope;
    const destinations = await listDestinations({ db, vault }, "site");
    const rules = await listRules(db, "site");
    const nameOf = new Map(destinations.map(({ id, name }) => [id, name]));
    const save = async ({ destinations: names = [], ...entry }: AlertRuleEntry, id?: number) => {
      const ids = names.map((name) => {
        const found = destinations.find((destination) => destination.name === name);
        if (!found) throw new OperationError("alert_destination_not_found");
        return found.id;
      });
      const { period, per, ...input } = { ...RULE_DEFAULTS, ...entry };
      await saveRule(
        db,
        "site",
        { ...input, ...(period && { period }), ...(per && { per }), destination_ids: ids },
        id,
      );
      const { event } = entry;
      if (id === undefined)
        await log(scope, `Added the alert rule ${event}`, { code: "alert_rule_added", params: { event } }, "create");
      else
        await log(
          scope,
          `Changed the alert rule ${event}`,
          { code: "alert_rule_changed", params: { event } },
          "update",
        );
    };
    const stored = rules.map(({ id, destination_ids: ids, ...rule }) => {
      const entry = {
        ...RULE_DEFAULTS,
        ...rule,
        destinations: ids.map((each) => nameOf.get(each) ?? "").filter(Boolean),
      } satisfies AlertRuleEntry;
      return { id, name: ruleName(entry), entry };
    });
    const entryOf = new Map(stored.map(({ id, entry }) => [id, entry]));
    return {
      stored,
      create: (entry) => save(entry),
      update: ({ id }, changed, entry) => save({ ...entryOf.get(id), ...changed, event: entry.event }, id),
      async remove({ id }) {
        const { event } = await deleteRule(db, "site", id);
        await log(
          scope,
          `Deleted the alert rule ${event}`,
          { code: "alert_rule_deleted", params: { event } },
          "delete",
        );
      },
    };
  },
};

const log = ({ db, actor }: Scope, content: string, note: LogNote, action: ManagementAction) =>
  writeManagementLog(db, actor, content, { note, action });
