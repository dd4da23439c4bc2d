import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { usd } from "../../../api/models/pricing.ts";
import { Tag } from "../../../components/display/Tag.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { type ListColumn, Quiet } from "../../../components/page/list/column-kinds.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import type { CatalogModel } from "./catalog-calls.ts";

/** The columns of the model catalog. */
export const CATALOG_COLUMNS: readonly ListColumn<CatalogModel, unknown>[] = [
  {
    key: "model",
    isTitle: true,
    fit: ({ model }) => model,
    cell: (entry, { t }) => (
      <Row gap={2}>
        <Box component="span" sx={{ fontWeight: 560, overflow: "hidden", textOverflow: "ellipsis" }}>
          {entry.model}
        </Box>
        {entry.own && <Tag tone="info">{t("catalog.own")}</Tag>}
        {entry.is_pattern && <Tag>{t("catalog.pattern")}</Tag>}
      </Row>
    ),
  },
  {
    key: "provider",
    kind: "text",
    none: "–",
    width: 112,
    of: ({ facts }) => facts.provider,
    fit: ({ facts }) => facts.provider ?? "–",
  },
  { key: "context", width: 92, align: "right", cell: ({ facts }) => <Tokens count={facts.context_window} /> },
  { key: "output", width: 92, align: "right", cell: ({ facts }) => <Tokens count={facts.output_limit} /> },
  {
    key: "modalities",
    width: 156,
    cell: ({ facts }) => <Modalities inputs={facts.input_modalities} outputs={facts.output_modalities} />,
  },
  {
    key: "reasoning",
    kind: "text",
    of: ({ facts }, { t }) => facts.reasoning && t(`catalog.styles.${facts.reasoning.style}`),
    none: "–",
    fit: ({ facts }, { t }) => (facts.reasoning ? t(`catalog.styles.${facts.reasoning.style}`) : "–"),
    width: 128,
  },
  { key: "price", width: 140, align: "right", cell: (entry) => <Price entry={entry} /> },
  {
    key: "deprecation",
    width: 132,
    cell: ({ facts }) => (facts.deprecation_date ? <span className="num">{facts.deprecation_date}</span> : <Dash />),
  },
];

const Dash = () => <Quiet>–</Quiet>;

const Tokens = ({ count }: { count: number | null }) =>
  count === null ? (
    <Dash />
  ) : (
    <Tip title={formatNumber(count)}>
      <span className="num">{tokenCount(count)}</span>
    </Tip>
  );

type ModalitiesProps = Readonly<{ inputs: readonly string[] | null; outputs: readonly string[] | null }>;

/** Input and output modalities as text. */
export const Modalities = ({ inputs, outputs }: ModalitiesProps) => {
  const { t, i18n } = useTranslation();
  if (!inputs && !outputs) return <Dash />;
  const kindsText = (kinds: readonly string[] | null) =>
    joinWords(
      (kinds ?? []).map((kind) => t(`catalog.kinds.${kind}`)),
      i18n.language,
    );
  const text = `${kindsText(inputs) || "?"} → ${kindsText(outputs) || "?"}`;
  return (
    <Tip title={text}>
      <Box component="span" sx={{ fontSize: 12.5, color: "text.secondary" }}>
        {text}
      </Box>
    </Tip>
  );
};

const Price = ({ entry: { price, has_own_price } }: { entry: CatalogModel }) => {
  const { t } = useTranslation();
  if (!price) return <Dash />;
  const { input, output, per_call, per_megapixel, per_second } = price;
  const lines =
    per_second !== undefined
      ? [t("catalog.perSecond", { price: usd(per_second) })]
      : per_call !== undefined
        ? [
            t("catalog.perCall", { price: usd(per_call) }),
            ...(per_megapixel === undefined ? [] : [t("catalog.perMegapixel", { price: usd(per_megapixel) })]),
          ]
        : [`${usd(input ?? 0)}${output === undefined ? "" : ` / ${usd(output)}`}`];
  return (
    <Col gap={0} sx={{ fontSize: 12.5, lineHeight: "17px" }}>
      {lines.map((line) => (
        <span key={line} className="num">
          {line}
        </span>
      ))}
      {has_own_price && <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{t("catalog.ownPrice")}</Box>}
    </Col>
  );
};

/** Joins a list for use in a sentence. */
export const joinWords = (words: readonly string[], language: string): string =>
  words.join(/^(zh|ja)/.test(language) ? "、" : ", ");

/** A token count such as 128K or 1M; exact if it is not round. */
export function tokenCount(tokens: number): string {
  for (const [unit, letter] of [
    [1_000_000, "M"],
    [1000, "K"],
  ] as const) {
    if (tokens >= unit && tokens % (unit / 10) === 0) return `${tokens / unit}${letter}`;
  }
  for (const [unit, letter] of [
    [1_048_576, "M"],
    [1024, "K"],
  ] as const) {
    if (tokens >= unit && tokens % unit === 0) return `${tokens / unit}${letter}`;
  }
  return formatNumber(tokens);
}
