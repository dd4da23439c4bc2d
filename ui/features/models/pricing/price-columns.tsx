import ArrowForward from "@mui/icons-material/ArrowForwardOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Cancel from "@mui/icons-material/RemoveCircleOutlineOutlined";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import IconButton from "@mui/material/IconButton";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { PricedModel } from "../../../api/models/pricing.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { copyText } from "../../../components/display/CopyButton.tsx";
import { useMoneyFormat } from "../../../components/display/Money.tsx";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";
import { GroupTag, Tag } from "../../../components/display/Tag.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { roundTo } from "../../../lib/format/number.ts";
import { Modalities, tokenCount } from "../catalog/catalog-columns.tsx";
import { modelPath } from "../page/model-page.ts";
import { makerOf } from "../page/model-traits.ts";
import { PriceLines, Quiet } from "../page/PriceLines.tsx";

type PriceView = Readonly<{
  group: string;
  groupRatio: number;
  /** Groups that the user may view. */
  groups: readonly string[];
  onGroup: (group: string) => void;
  /** Called if the browser denies clipboard access. */
  onRefused: (text: string) => void;
}>;

/** The columns of the price list, for one group. */
export function usePriceColumns(view: PriceView): readonly Column<PricedModel>[] {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  return useMemo(() => columnsOf(t, view, quotaPerUnit), [t, view, quotaPerUnit]);
}

const columnsOf = (t: TFunction, view: PriceView, quotaPerUnit: number): readonly Column<PricedModel>[] => [
  {
    key: "available",
    head: t("pricing.columns.available"),
    width: 88,
    isSolid: true,
    cell: (model) => <Availability isAvailable={model.enable_groups.includes(view.group)} />,
  },
  {
    key: "model",
    head: t("pricing.columns.model"),
    isTitle: true,
    cell: ({ model_name }) => <ModelName name={model_name} onRefused={view.onRefused} />,
  },
  {
    key: "billing",
    head: t("pricing.columns.billing"),
    width: 100,
    isSolid: true,
    cell: (model) => <Tag>{t(`pricing.units.${model.unit}`)}</Tag>,
  },
  {
    key: "limits",
    head: t("pricing.columns.limits"),
    width: 168,
    cell: (model) => <Limits model={model} />,
  },
  {
    key: "groups",
    head: t("pricing.columns.groups"),
    width: 132,
    isSolid: true,
    cell: (model) => <Groups model={model} {...view} />,
  },
  {
    key: "ratios",
    head: t("pricing.columns.ratios"),
    width: 124,
    cell: (model) =>
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
    head: t("pricing.columns.price"),
    width: 164,
    align: "right",
    cell: (model) => <PriceLines model={model} groupRatio={view.groupRatio} quotaPerUnit={quotaPerUnit} />,
  },
];

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
      {ends !== null && <Quiet>{t("pricing.ends", { date: ends })}</Quiet>}
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

const ModelName = ({ name, onRefused }: { name: string; onRefused: (text: string) => void }) => {
  const { t } = useTranslation();
  const maker = makerOf(name);
  const copy = async () => {
    if (await copyText(name)) notifyDone(t("pricing.copied", { count: 1 }));
    else onRefused(name);
  };
  return (
    <Row gap={2}>
      {maker && <ProviderGlyph name={maker} size={20} />}
      <Tip title={t("pricing.copyOne", { name })}>
        <ButtonBase
          onClick={copy}
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

const Groups = ({ model, group, groups, onGroup }: { model: PricedModel } & PriceView) => {
  const { t } = useTranslation();
  const shown = model.enable_groups.filter((name) => groups.includes(name));
  if (shown.length === 0) return quiet(t("pricing.noGroup"));
  return (
    <Row gap={1} wrap sx={{ rowGap: 1 }}>
      {shown.map((name) => (
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
    </Row>
  );
};

const quiet = (text: string) => (
  <Box component="span" sx={{ color: "text.tertiary" }}>
    {text}
  </Box>
);
