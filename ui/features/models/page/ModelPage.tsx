import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MuiLink from "@mui/material/Link";
import Skeleton from "@mui/material/Skeleton";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useSetAtom } from "jotai";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ModelPageView } from "../../../../src/console/models/public-models.ts";
import type { Capability } from "../../../../src/domain/models/model-name-rules.ts";
import { capabilityOf, makerOf } from "../../../../src/domain/models/model-name-rules.ts";
import { modelPage } from "../../../api/models/model.ts";
import { type PricedModel, priceGroups, ratioFor } from "../../../api/models/pricing.ts";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { useMoneyFormat } from "../../../components/display/Money.tsx";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";
import { GroupTag, Tag } from "../../../components/display/Tag.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { formatDollars } from "../../../lib/format/money.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { gatewayAddress } from "../../../lib/snippets/examples.ts";
import { addressOf, type SnippetName, snippetOf } from "../../../lib/snippets/snippets.ts";
import { useSession } from "../../../state/session.ts";
import { useSite } from "../../../state/site-status.ts";
import { chatToOpenAtom, DEFAULT_SETTINGS, newChat } from "../../playground/chat/chat.ts";
import { joinWords } from "../catalog/catalog-columns.tsx";
import { ModelHealth } from "./ModelHealth.tsx";
import { modelPath, TYPICAL_WORKLOAD, workloadCost } from "./model-page.ts";
import { PriceLines } from "./PriceLines.tsx";
import { WorkloadFields } from "./WorkloadFields.tsx";

const LANGUAGES = ["curl", "python", "typescript", "anthropic", "google"] as const satisfies readonly SnippetName[];
const KEY = "$SLUICE_KEY";

/** Paths and bodies of calls that are no chats. */
const OTHERS: Partial<Record<Capability, readonly [path: string, body: object]>> = {
  embedding: ["/embeddings", { input: "Hello" }],
  rerank: ["/rerank", { query: "fruit", documents: ["an apple", "a car"] }],
  image: ["/images/generations", { prompt: "A lighthouse at dawn", size: "1024x1024" }],
  video: ["/videos", { prompt: "Waves at dawn", seconds: "5" }],
  music: ["/audio/music", { prompt: "Calm piano", duration: 30 }],
  speech: ["/audio/speech", { input: "Hello", voice: "alloy" }],
  moderation: ["/moderations", { input: "Hello" }],
};

/** A call of the model that runs as it stands, with a placeholder for the key. */
const ExampleCall = ({ model }: { model: string }) => {
  const { t } = useTranslation();
  const baseUrl = `${gatewayAddress(useSite()?.server_address)}/v1`;
  const [name, setName] = useState<SnippetName>("curl");
  const other = OTHERS[capabilityOf(model)];
  const code = other
    ? [
        `curl ${baseUrl}${other[0]} \\`,
        `  -H "Authorization: Bearer ${KEY}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify({ model, ...other[1] })}'`,
      ].join("\n")
    : snippetOf(name, { baseUrl: addressOf(name, baseUrl), key: KEY, model });
  return (
    <Panel title={t("model.example")} action={<CopyButton text={code} />}>
      {!other && (
        <Row wrap sx={{ mb: 3 }}>
          <ToggleButtonGroup
            exclusive
            size="small"
            value={name}
            onChange={(_, chosen: SnippetName | null) => chosen && setName(chosen)}
            aria-label={t("apiKeys.use.language")}
            sx={{ flexWrap: "wrap", height: "auto", minWidth: 0 }}
          >
            {LANGUAGES.map((snippet) => (
              <ToggleButton key={snippet} value={snippet}>
                {t(`apiKeys.use.${snippet}`)}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        </Row>
      )}
      <CodeBox code={code} label={t("model.example")} />
    </Panel>
  );
};

/** The public page of a model: what it is, what it costs, how it does, and how to call it. */
export const ModelPage = () => {
  const { t } = useTranslation();
  const { _splat: name = "" } = useParams({ strict: false });
  const { user } = useSession();
  const { data, error, refetch } = useQuery(modelPage(name, user?.id));
  const groups = useQuery(priceGroups(user?.id)).data;
  const openChat = useSetAtom(chatToOpenAtom);
  const maker = makerOf(name);
  return (
    <Box sx={{ maxWidth: 1200, mx: "auto", width: "100%", px: { xs: 3, sm: 6 }, py: 6 }}>
      <MuiLink component={Link} to="/pricing" underline="hover" sx={{ fontSize: 13 }}>
        {t("model.all")}
      </MuiLink>
      <Row gap={3} wrap sx={{ mt: 3, mb: 4, rowGap: 2 }}>
        {maker && <ProviderGlyph name={maker} size={36} />}
        <Box sx={{ flex: 1, minWidth: 200 }}>
          <Row gap={1}>
            <Box component="h1" sx={{ m: 0, fontSize: 22, lineHeight: "28px", overflowWrap: "anywhere" }}>
              {name}
            </Box>
            <CopyButton text={name} />
          </Row>
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>{data?.facts.provider ?? maker}</Box>
        </Box>
        {user && data && capabilityOf(name) === "chat" && (
          <Button
            component={Link}
            to="/playground"
            variant="contained"
            color="primary"
            onClick={() => openChat(newChat({ ...DEFAULT_SETTINGS, models: [name] }))}
          >
            {t("model.try")}
          </Button>
        )}
      </Row>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={320} />}
      {data && <Body page={data} groupRatios={groups?.group_ratio} ownGroup={groups?.group ?? "default"} />}
    </Box>
  );
};

type BodyProps = Readonly<{
  page: ModelPageView;
  groupRatios: Readonly<Record<string, number>> | undefined;
  ownGroup: string;
}>;

const Body = ({ page, groupRatios, ownGroup }: BodyProps) => {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  const { model, facts } = page;
  const group = model.enable_groups.includes(ownGroup) ? ownGroup : (model.enable_groups[0] ?? ownGroup);
  const groupRatio = ratioFor(model, group, groupRatios?.[group]);
  const isChat = capabilityOf(model.model_name) === "chat";
  const description =
    facts.description ?? t(isChat ? "model.about" : "model.aboutOther", { name: facts.name ?? model.model_name });
  return (
    <Box
      sx={{
        display: "grid",
        gap: 4,
        gridTemplateColumns: { xs: "minmax(0,1fr)", md: "minmax(0,3fr) minmax(0,2fr)" },
        alignItems: "start",
      }}
    >
      <Col gap={4}>
        <Box sx={{ fontSize: 14, lineHeight: "22px", maxWidth: 720 }}>{description}</Box>
        <Panel title={t("model.abilities")}>
          <Abilities page={page} />
        </Panel>
        <ExampleCall model={model.model_name} />
      </Col>
      <Col gap={4}>
        <Panel
          title={t("model.price")}
          action={
            <Row gap={2}>
              <Tag>{t(model.unit === "token" ? "model.perMillion" : `pricing.units.${model.unit}`)}</Tag>
              <GroupTag group={group} />
            </Row>
          }
        >
          <PriceLines model={model} groupRatio={groupRatio} quotaPerUnit={quotaPerUnit} />
        </Panel>
        {model.is_priced && <Calculator model={model} groupRatio={groupRatio} quotaPerUnit={quotaPerUnit} />}
        <ModelHealth page={page} />
      </Col>
    </Box>
  );
};

/** The model that its provider recommends in its place, with its page where the site offers it. */
const Successor = ({ name, isOffered }: Readonly<{ name: string; isOffered: boolean }>) =>
  isOffered ? (
    <MuiLink component={Link} to={modelPath(name)}>
      {name}
    </MuiLink>
  ) : (
    name
  );

const Abilities = ({ page: { model, facts, offers_successor: isOffered } }: Readonly<{ page: ModelPageView }>) => {
  const { t, i18n } = useTranslation();
  const kinds = (names: readonly string[] | null) =>
    names
      ? joinWords(
          names.map((name) => t(`catalog.kinds.${name}`)),
          i18n.language,
        )
      : t("model.unknown");
  const flag = (value: boolean | null) => t(value === null ? "model.unknown" : value ? "model.yes" : "model.no");
  const tokens = (count: number | null) =>
    count === null ? t("model.unknown") : t("model.tokens", { count, text: formatNumber(count) });
  const efforts = facts.efforts.length > 0 ? ` (${facts.efforts.join(", ")})` : "";
  return (
    <KeyValue
      width={148}
      items={[
        [t("model.context"), tokens(model.context_window)],
        [t("model.outputLimit"), tokens(model.output_limit)],
        [t("model.inputs"), kinds(model.input_modalities)],
        [t("model.outputs"), kinds(model.output_modalities)],
        [t("model.tools"), flag(facts.tools)],
        [t("model.structured"), flag(facts.structured_output)],
        [t("model.reasoning"), `${flag(facts.reasoning)}${efforts}`],
        ...(model.deprecation_date ? ([[t("model.shutdown"), model.deprecation_date]] as const) : []),
        ...(model.successor
          ? ([
              [t("model.successor"), <Successor key="successor" name={model.successor} isOffered={isOffered} />],
            ] as const)
          : []),
      ]}
    />
  );
};

type CalculatorProps = Readonly<{ model: PricedModel; groupRatio: number; quotaPerUnit: number }>;

const Calculator = ({ model, groupRatio, quotaPerUnit }: CalculatorProps) => {
  const { t } = useTranslation();
  const [work, setWork] = useState(TYPICAL_WORKLOAD);
  return (
    <Panel title={t("model.calculator.title")}>
      <WorkloadFields value={work} onChange={setWork} withCache={model.cache_ratio !== 1} />
      <Row gap={2} sx={{ mt: 3, fontSize: 13 }}>
        <Box sx={{ flex: 1, color: "text.secondary" }}>{t("model.calculator.month")}</Box>
        <Box className="num" role="status" sx={{ fontSize: 16, fontWeight: 620 }}>
          {formatDollars(workloadCost(model, work, groupRatio, quotaPerUnit), 2)}
        </Box>
      </Row>
    </Panel>
  );
};
