import ArrowForward from "@mui/icons-material/ArrowForwardOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Cancel from "@mui/icons-material/RemoveCircleOutlineOutlined";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import IconButton from "@mui/material/IconButton";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { makerOf } from "../../../../src/domain/models/model-name-rules.ts";
import { type PricedModel, ratioFor } from "../../../api/models/pricing.ts";
import { copyText, ManualCopyDialog } from "../../../components/display/CopyButton.tsx";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";
import { GroupTag, Tag } from "../../../components/display/Tag.tsx";
import { notifyDone, notifyInfo } from "../../../components/feedback/notify.tsx";
import { FilterPopover } from "../../../components/inputs/FilterButton.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import { Tip } from "../../../components/tip/Tip.tsx";
import { roundTo } from "../../../lib/format/number.ts";
import { Modalities, tokenCount } from "../catalog/catalog-columns.tsx";
import { modelPath } from "../page/model-page.ts";
import { PriceLines, Quiet } from "../page/PriceLines.tsx";

/** How prices are looked at. */
export type PriceView = Readonly<{
  group: string;
  groupRatio: number;
  /** Groups that the user may view. */
  groups: readonly string[];
  ratioOf: (group: string) => number;
  quotaPerUnit: number;
}>;

type Context = ListContext<PriceView>;

/** Copies the names of models; shows them where the browser denies access to the clipboard. */
export async function copyNames(names: readonly string[], { t, open }: Pick<Context, "t" | "open">) {
  const text = names.join(",");
  if (await copyText(text)) notifyDone(t("pricing.copied", { count: names.length }));
  else open((close) => <ManualCopyDialog text={text} onClose={close} />);
}

function showGroup(group: string, { t, address, data }: Context) {
  address.set({ group });
  notifyInfo(t("pricing.lookingAt", { group, ratio: data.ratioOf(group) }));
}

/** The columns of the price list, for one group. */
export const PRICE_COLUMNS: readonly ListColumn<PricedModel, PriceView>[] = [
  {
    key: "available",
    width: 88,
    isSolid: true,
    cell: ({ enable_groups: groups }, { data }) => <Availability isAvailable={groups.includes(data.group)} />,
  },
  {
    key: "model",
    isTitle: true,
    cell: ({ model_name: name }, context) => <ModelName name={name} onCopy={() => copyNames([name], context)} />,
  },
  {
    key: "billing",
    width: 100,
    isSolid: true,
    cell: ({ unit }, { t }) => <Tag>{t(`pricing.units.${unit}`)}</Tag>,
  },
  { key: "limits", width: 156, cell: (model) => <Limits model={model} /> },
  {
    key: "groups",
    width: 112,
    isSolid: true,
    cell: (model, context) => (
      <Groups model={model} view={context.data} onGroup={(group) => showGroup(group, context)} />
    ),
  },
  {
    key: "ratios",
    width: 116,
    cell: (model, { t }) =>
      model.quota_type === 1 ? (
        quiet("–")
      ) : (
        <Col gap={0} sx={{ fontSize: 12, lineHeight: "17px", color: "text.secondary" }}>
          <span>{t("pricing.ratioModel", { ratio: model.model_ratio })}</span>
          <span>{t("pricing.ratioCompletion", { ratio: roundTo(model.completion_ratio, 4) })}</span>
        </Col>
      ),
  },
  {
    key: "price",
    width: 236,
    align: "right",
    cell: (model, { data: { group, groupRatio, quotaPerUnit } }) => (
      <PriceLines model={model} groupRatio={ratioFor(model, group, groupRatio)} quotaPerUnit={quotaPerUnit} />
    ),
  },
];

const UNBROKEN_HYPHEN = "\u2011";

/** Context window, output limit, modalities and retirement date, as far as they are known. */
const Limits = ({ model }: { model: PricedModel }) => {
  const { t } = useTranslation();
  const { context_window: context, output_limit: output, deprecation_date: ends } = model;
  const isKnown = context !== null || output !== null || model.input_modalities !== null || ends !== null;
  if (!isKnown) return quiet("–");
  return (
    <Col gap={0} sx={{ fontSize: 12, lineHeight: "17px", py: 0.5, color: "text.secondary" }}>
      {context !== null && <span>{t("pricing.context", { tokens: tokenCount(context) })}</span>}
      {output !== null && <span>{t("pricing.outputLimit", { tokens: tokenCount(output) })}</span>}
      {model.input_modalities !== null && (
        <Modalities inputs={model.input_modalities} outputs={model.output_modalities} />
      )}
      {ends !== null && <Quiet>{t("pricing.ends", { date: ends.replaceAll("-", UNBROKEN_HYPHEN) })}</Quiet>}
    </Col>
  );
};

const Availability = ({ isAvailable }: { isAvailable: boolean }) => {
  const { t } = useTranslation();
  const words = t(isAvailable ? "pricing.available" : "pricing.unavailable");
  const Icon = isAvailable ? Check : Cancel;
  return (
    <Tip title={words}>
      <Icon
        titleAccess={words}
        sx={{ fontSize: 17, display: "block", color: isAvailable ? "tone.ok.text" : "text.tertiary" }}
      />
    </Tip>
  );
};

const ModelName = ({ name, onCopy }: { name: string; onCopy: () => unknown }) => {
  const { t } = useTranslation();
  const maker = makerOf(name);
  return (
    <Row gap={2}>
      {maker && <ProviderGlyph name={maker} size={20} />}
      <Tip title={t("pricing.copyOne", { name })}>
        <ButtonBase
          onClick={onCopy}
          sx={{ minWidth: 0, borderRadius: "4px", fontWeight: 560, fontSize: 13, justifyContent: "flex-start" }}
        >
          <Box
            component="span"
            sx={{
              textAlign: "left",
              whiteSpace: "normal",
              overflowWrap: "anywhere",
            }}
          >
            {name}
          </Box>
        </ButtonBase>
      </Tip>
      <Tip title={t("pricing.open", { name })}>
        <IconButton
          component={Link}
          to={modelPath(name)}
          size="small"
          aria-label={t("pricing.open", { name })}
          sx={{ color: "text.tertiary" }}
        >
          <ArrowForward sx={{ fontSize: 15 }} />
        </IconButton>
      </Tip>
    </Row>
  );
};

type GroupsProps = Readonly<{ model: PricedModel; view: PriceView; onGroup: (group: string) => void }>;

/** More groups than these are one, and the others in a list that can be searched. */
const MOST_CHIPS = 2;

const Groups = ({ model, view: { group, groups }, onGroup }: GroupsProps) => {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const offered = useMemo(() => {
    const known = new Set(groups);
    return model.enable_groups.filter((name) => known.has(name));
  }, [model, groups]);
  if (offered.length === 0) return quiet(t("pricing.noGroup"));
  const ordered = offered.includes(group) ? [group, ...offered.filter((name) => name !== group)] : offered;
  const chips = ordered.slice(0, offered.length > MOST_CHIPS ? 1 : MOST_CHIPS);
  const rest = offered.length - chips.length;
  return (
    <Row gap={1} wrap sx={{ rowGap: 1 }}>
      {chips.map((name) => (
        <ButtonBase
          key={name}
          aria-pressed={name === group}
          aria-label={t("pricing.lookAt", { group: name })}
          onClick={() => onGroup(name)}
          sx={{
            borderRadius: "5px",
            ...(name === group && { outline: "1px solid", outlineOffset: "-1px", outlineColor: "primary.main" }),
          }}
        >
          <GroupTag group={name} />
        </ButtonBase>
      ))}
      {rest > 0 && (
        <ButtonBase
          aria-haspopup="dialog"
          aria-label={t("pricing.moreGroups", { count: rest })}
          onClick={(event) => setAnchor(event.currentTarget)}
          sx={{ borderRadius: "5px" }}
        >
          <Tag>{`+${rest}`}</Tag>
        </ButtonBase>
      )}
      {anchor && (
        <FilterPopover
          anchor={anchor}
          filter={{
            ...{ key: "group", label: t("pricing.filters.group"), value: group },
            options: offered.map((name) => ({ value: name, label: name })),
          }}
          onChange={(name) => name !== "" && onGroup(name)}
          onClose={() => setAnchor(null)}
        />
      )}
    </Row>
  );
};

const quiet = (text: string) => (
  <Box component="span" sx={{ color: "text.tertiary" }}>
    {text}
  </Box>
);
