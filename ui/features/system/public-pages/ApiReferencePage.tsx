import Download from "@mui/icons-material/DownloadOutlined";
import ExpandMore from "@mui/icons-material/ExpandMore";
import SearchOff from "@mui/icons-material/SearchOffOutlined";
import Accordion from "@mui/material/Accordion";
import AccordionDetails from "@mui/material/AccordionDetails";
import AccordionSummary from "@mui/material/AccordionSummary";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { readJson } from "../../../api/client.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { Col, PageHeader, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { sitePath } from "../../../lib/base-path.ts";

/** An API call in the reference. */
export type ApiCall = Readonly<{
  method: string;
  path: string;
  summary: string;
  /** The required role; null: public, or an API key. */
  role: string | null;
  /** Parameter names: path and query, then body. */
  parameters: readonly ApiParameter[];
}>;

type ApiParameter = Readonly<{
  name: string;
  where: "path" | "query" | "body";
  type: string;
  isRequired: boolean;
}>;

type ApiSection = Readonly<{ name: string; description: string; calls: readonly ApiCall[] }>;

type Schema = Readonly<{
  type?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  items?: Schema;
}>;
type Operation = Readonly<{
  tags?: readonly string[];
  summary?: string;
  security?: readonly Record<string, unknown>[];
  parameters?: readonly { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}>;
type ApiDocument = Readonly<{
  tags: readonly { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}>;

export const apiDocument = queryOptions({
  queryKey: ["openapi"],
  queryFn: ({ signal }) => readJson<ApiDocument>("/openapi.json", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Groups the calls by what one comes to do with them, in the order of the document. */
export function sectionsOf({ tags, paths }: ApiDocument): readonly ApiSection[] {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      task: operation.tags?.[0] ?? "",
      method: method.toUpperCase(),
      path,
      summary: operation.summary ?? "",
      role: Object.keys(operation.security?.[0] ?? {})[0] ?? null,
      parameters: parametersOf(operation),
    })),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    calls: calls.filter(({ task }) => task === name).map(({ task: _, ...call }) => call),
  }));
}

function parametersOf({ parameters = [], requestBody }: Operation): ApiParameter[] {
  const named = parameters
    .filter(({ in: where }) => where === "path" || where === "query")
    .map(({ name, in: where, required = false, schema }) => ({
      name,
      where: where as "path" | "query",
      type: typeOf(schema),
      isRequired: required,
    }));
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const members = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    where: "body" as const,
    type: typeOf(schema),
    isRequired: body?.required?.includes(name) ?? false,
  }));
  return [...named, ...members];
}

function typeOf(schema: Schema | undefined): string {
  if (schema?.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" | ");
  return schema?.type === "array" ? `${typeOf(schema.items)}[]` : (schema?.type ?? "any");
}

/** The API reference, from the OpenAPI document that the gateway serves. */
export const ApiReferencePage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const document = useQuery(apiDocument);
  const search = address.text("search").toLowerCase();
  const sections = useMemo(
    () =>
      document.data
        ? sectionsOf(document.data)
            .map((section) => ({
              ...section,
              calls: section.calls.filter(({ path, method, summary }) =>
                `${method} ${path} ${summary} ${section.name}`.toLowerCase().includes(search),
              ),
            }))
            .filter(({ calls }) => calls.length > 0)
        : null,
    [document.data, search],
  );
  return (
    <Box sx={{ maxWidth: 1008, mx: "auto", width: "100%", px: { xs: 3, sm: 6 }, py: 6 }}>
      <PageHeader
        title={t("shell.reference")}
        purpose={t("reference.purpose")}
        actions={
          <Button variant="outlined" startIcon={<Download />} href={sitePath("/openapi.json")} download="openapi.json">
            OpenAPI
          </Button>
        }
      />
      <FilterBar
        search={{ value: address.text("search"), placeholder: t("reference.search") }}
        filters={[]}
        onChange={(key, value) => address.set({ [key]: value })}
        onClear={address.clear}
      />
      {document.error ? (
        <ErrorState error={document.error} onRetry={() => void document.refetch()} />
      ) : !sections ? (
        <Col gap={2}>
          {[0, 1, 2, 3].map((row) => (
            <Skeleton key={row} variant="rounded" height={48} />
          ))}
        </Col>
      ) : sections.length === 0 ? (
        <EmptyState icon={<SearchOff />} title={t("reference.none")} body={t("reference.noneBody")} />
      ) : (
        sections.map(({ name, description, calls }) => (
          <Accordion
            key={name}
            defaultExpanded={search !== ""}
            disableGutters
            slotProps={{ heading: { component: "h2" } }}
            variant="outlined"
            sx={{ "&::before": { display: "none" }, "& + &": { borderTop: 0 } }}
          >
            <AccordionSummary expandIcon={<ExpandMore />}>
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <Typography sx={{ fontWeight: 560 }}>{name}</Typography>
                <Typography variant="body2" sx={{ color: "text.secondary" }}>
                  {description}
                </Typography>
              </Box>
              <Typography variant="body2" sx={{ color: "text.secondary", mx: 2, whiteSpace: "nowrap" }}>
                {t("reference.calls", { count: calls.length })}
              </Typography>
            </AccordionSummary>
            <AccordionDetails>
              <Col gap={3}>
                {calls.map((call) => (
                  <CallEntry key={`${call.method} ${call.path}`} call={call} />
                ))}
              </Col>
            </AccordionDetails>
          </Accordion>
        ))
      )}
    </Box>
  );
};

const CallEntry = ({ call: { method, path, summary, role, parameters } }: { call: ApiCall }) => {
  const { t } = useTranslation();
  return (
    <Box>
      <Typography sx={{ fontSize: 13.5, fontWeight: 560, mb: 0.5 }}>{summary}</Typography>
      <Row gap={2} wrap>
        <Tag mono>{method}</Tag>
        <Typography className="mono" sx={{ fontSize: 13, overflowWrap: "anywhere" }}>
          {path}
        </Typography>
        <CopyButton text={path} />
        <Typography variant="body2" sx={{ color: "text.secondary" }}>
          {t(`reference.role.${role ?? (path.startsWith("/api/") ? "open" : "key")}`)}
        </Typography>
      </Row>
      {parameters.length > 0 && (
        <Typography variant="body2" component="div" sx={{ color: "text.secondary", mt: 1, overflowWrap: "anywhere" }}>
          {parameters.map(({ name, where, type, isRequired }) => (
            <Box component="span" key={`${where} ${name}`} sx={{ mr: 3, display: "inline-block" }}>
              <span className="mono">{name}</span>
              {isRequired ? "*" : ""} {type} · {t(`reference.where.${where}`)}
            </Box>
          ))}
        </Typography>
      )}
    </Box>
  );
};
