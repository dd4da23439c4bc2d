import Add from "@mui/icons-material/AddOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Speed from "@mui/icons-material/SpeedOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import type { TFunction } from "i18next";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Money } from "../../../../components/display/Money.tsx";
import { Tag } from "../../../../components/display/Tag.tsx";
import { EmptyState } from "../../../../components/feedback/EmptyState.tsx";
import { Col, Panel, Row } from "../../../../components/layout.tsx";
import { formatPeriod } from "../../../../lib/format/duration.ts";
import { formatNumber } from "../../../../lib/format/number.ts";
import { SettingInput } from "../../fields/SettingInput.tsx";
import { type EditorView, ViewSwitch } from "../../page/SectionView.tsx";
import { json } from "../../setting-field.ts";
import { useSettingHint, useSettings } from "../../settings-store.tsx";
import { LimitRuleDrawer } from "./LimitRuleDrawer.tsx";
import { hasRoom, limitRulesText, type RuleEntry, readLimitRules, SCOPES } from "./limit-rule-form.ts";

const FIELD = json("LimitRules", "list");

/** A rule that is edited: its place, or that of the one that it copies; null: a new one. */
type Edited = Readonly<{ at: number | null; rule: RuleEntry | null }>;

/** Limit rules as a list with a form, or as JSON; saved with the section. */
export const LimitRulesPanel = () => {
  const { t } = useTranslation();
  const { textOf, change } = useSettings();
  const hint = useSettingHint()(FIELD);
  const [view, setView] = useState<EditorView>("visual");
  const [edited, setEdited] = useState<Edited | null>(null);
  const rules = readLimitRules(textOf("LimitRules"));
  if (view === "json" || !rules) {
    return (
      <Col gap={4}>
        <ViewSwitch view={view} onChange={setView} />
        <SettingInput field={FIELD} />
      </Col>
    );
  }
  const update = (next: readonly RuleEntry[]) => change("LimitRules", limitRulesText(next));
  const add = (
    <Button startIcon={<Add />} disabled={!hasRoom(rules)} onClick={() => setEdited({ at: null, rule: null })}>
      {t("settings.limitRules.add")}
    </Button>
  );
  const others = rules.filter((_, at) => at !== edited?.at);
  return (
    <Col gap={4}>
      <ViewSwitch view={view} onChange={setView} />
      <Box sx={{ fontSize: 12.5, color: "text.tertiary" }}>{hint}</Box>
      {rules.length === 0 ? (
        <Panel>
          <EmptyState
            icon={<Speed />}
            title={t("settings.limitRules.empty")}
            body={t("settings.limitRules.emptyBody")}
            action={add}
          />
        </Panel>
      ) : (
        <>
          {rules.map((rule, at) => (
            <RuleCard
              key={rule.name}
              rule={rule}
              onEdit={() => setEdited({ at, rule })}
              onCopy={hasRoom(rules) ? () => setEdited({ at: null, rule: { ...rule, name: "" } }) : null}
              onRemove={() => update(rules.toSpliced(at, 1))}
            />
          ))}
          <Box>{add}</Box>
        </>
      )}
      {edited && (
        <LimitRuleDrawer
          rule={edited.rule}
          isNew={edited.at === null}
          taken={others.map(({ name }) => name)}
          onSave={(rule) => update(edited.at === null ? [...rules, rule] : rules.with(edited.at, rule))}
          onClose={() => setEdited(null)}
        />
      )}
    </Col>
  );
};

type RuleCardProps = Readonly<{
  rule: RuleEntry;
  onEdit: () => void;
  /** Null: there is no room for another. */
  onCopy: (() => void) | null;
  onRemove: () => void;
}>;

/** What a rule limits, for whom, and what can be done with it. */
const RuleCard = ({ rule, onEdit, onCopy, onRemove }: RuleCardProps) => {
  const { t } = useTranslation();
  const { name } = rule;
  return (
    <Panel>
      <Row gap={2} sx={{ alignItems: "flex-start" }}>
        <Col gap={2} sx={{ flex: 1, minWidth: 0 }}>
          <Box sx={{ fontWeight: 600, overflowWrap: "anywhere" }}>{name}</Box>
          <Row gap={2} wrap>
            {limitsOf(rule, t).map(([key, text, figure]) => (
              <Tag key={key}>
                {text} {figure}
              </Tag>
            ))}
          </Row>
          <Box sx={{ fontSize: 12.5, color: "text.secondary", overflowWrap: "anywhere" }}>{scopeText(rule, t)}</Box>
        </Col>
        <Row gap={0}>
          <IconButton aria-label={t("settings.limitRules.edit", { name })} onClick={onEdit}>
            <Edit />
          </IconButton>
          <IconButton
            aria-label={t("settings.limitRules.copy", { name })}
            disabled={onCopy === null}
            onClick={() => onCopy?.()}
          >
            <Copy />
          </IconButton>
          <IconButton aria-label={t("settings.limitRules.remove", { name })} onClick={onRemove}>
            <Delete />
          </IconButton>
        </Row>
      </Row>
    </Panel>
  );
};

/** Each limit with its figure. */
type Limit = readonly [key: string, text: string, figure: ReactNode];

function limitsOf({ requests, tokens, quota, concurrency, seconds }: RuleEntry, t: TFunction): readonly Limit[] {
  const time = t("settings.limitRules.within", { time: formatPeriod(seconds) });
  const word = (name: "requests" | "tokens" | "quota" | "concurrency") => t(`settings.limitRules.form.${name}`);
  const limits: readonly (readonly [...Limit, isSet: boolean])[] = [
    ["requests", word("requests"), `${formatNumber(requests)} ${time}`, requests > 0],
    ["tokens", word("tokens"), `${formatNumber(tokens)} ${time}`, tokens > 0],
    [
      "quota",
      word("quota"),
      <>
        <Money key="quota" quota={quota} exact /> {time}
      </>,
      quota > 0,
    ],
    ["concurrency", word("concurrency"), formatNumber(concurrency), concurrency > 0],
  ];
  return limits.flatMap(([key, text, figure, isSet]) => (isSet ? [[key, text, figure] as const] : []));
}

/** Which calls a rule is about, and for what it counts separately. */
function scopeText(rule: RuleEntry, t: TFunction): string {
  const about = SCOPES.filter((scope) => rule[scope].length > 0).map(
    (scope) => `${t(`settings.limitRules.form.${scope}`)}: ${rule[scope].join(", ")}`,
  );
  const each = rule.per.map((dimension) => t(`settings.limitRules.dimensions.${dimension}`)).join(" × ");
  return [
    ...(about.length > 0 ? about : [t("settings.limitRules.allCalls")]),
    each ? t("settings.limitRules.each", { each }) : t("settings.limitRules.together"),
  ].join(" · ");
}
