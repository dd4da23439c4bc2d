import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { FormFields } from "../../../components/form/FormFields.tsx";
import type { AnyField } from "../../../components/form/form-fields.ts";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { type ToolView, tryTool } from "./mcp-calls.ts";
import {
  argumentsOf,
  emptyValues,
  faultyFields,
  readArguments,
  resultText,
  type ToolField,
  toolFields,
} from "./tool-form.ts";

type Tool = NonNullable<ToolView["approved"]>;

/** Where the arguments are typed as JSON. */
const JSON_FIELD: AnyField = { kind: "json", field: "json", example: "{}" };

const fieldOf = ({ name, kind, options, isRequired, description }: ToolField, optional: string): AnyField => {
  const common = { field: name, label: name, hint: description || undefined, optional: !isRequired && optional };
  if (kind === "switch") return { ...common, kind };
  if (kind === "select") {
    const listed = options.map((option) => [option, option] as const);
    return { ...common, kind, options: isRequired ? listed : [["", "–"], ...listed] };
  }
  return { ...common, kind: "text" };
};

/** Calls an approved tool as the administrator who does it, and shows what it returns. */
export const TryTool = ({ serverId, tool }: Readonly<{ serverId: number; tool: Tool }>) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const fields = toolFields(tool.inputSchema);
  const [values, setValues] = useState<Readonly<Record<string, string | boolean>>>({
    json: "{}",
    ...emptyValues(fields ?? []),
  });
  const [isShowingFaults, setShowingFaults] = useState(false);
  const call = useMutation({
    mutationFn: (input: Record<string, unknown>) => tryTool(serverId, tool.name, input),
    onError: notifyError,
  });
  const faults = fields === null ? [] : faultyFields(fields, values);
  const isReadOnly = tool.annotations?.readOnlyHint === true;
  const run = async () => {
    const input = fields === null ? readArguments(String(values.json)) : argumentsOf(fields, values);
    setShowingFaults(true);
    if (input === null || faults.length > 0) return;
    const question = {
      title: t("mcp.try.confirmTitle", { name: tool.name }),
      body: t("mcp.try.confirmBody"),
      action: t("mcp.try.run"),
    };
    if (isReadOnly || (await confirm(question))) call.mutate(input);
  };
  return (
    <Panel title={t("mcp.try.title")} hint={t("mcp.try.hint")}>
      <Col gap={3}>
        <FormFields
          fields={fields?.map((field) => fieldOf(field, t("mcp.form.optional"))) ?? [JSON_FIELD]}
          context={{
            values,
            set: (field, value) =>
              setValues((now) => ({ ...now, [field]: typeof value === "boolean" ? value : String(value) })),
            text: (name) => `mcp.try.${name}`,
            errorOf: (field) => (isShowingFaults && faults.includes(field) ? t("mcp.try.faulty") : undefined),
            isReadOnly: false,
          }}
        />
        <Row>
          <Button loading={call.isPending} onClick={() => void run()}>
            {t("mcp.try.run")}
          </Button>
        </Row>
        {call.data && <TrialResult trial={call.data} />}
      </Col>
    </Panel>
  );
};

const TrialResult = ({ trial }: Readonly<{ trial: Awaited<ReturnType<typeof tryTool>> }>) => {
  const { t } = useTranslation();
  const { error, is_error: isToolError, content, structured_content: structured } = trial;
  const isFailed = error !== "" || isToolError;
  const text = error === "" ? resultText(content, structured) : error;
  return (
    <Col gap={2}>
      <Row gap={3} wrap>
        <StatusChip tone={isFailed ? "bad" : "ok"}>
          {t(isFailed ? (error === "" ? "mcp.try.toolError" : "mcp.try.failed") : "mcp.try.returned")}
        </StatusChip>
        <Box className="num" sx={{ color: "text.secondary", fontSize: 13 }}>
          {formatDuration(trial.elapsed_ms)}
        </Box>
        <Link to="/log/$requestId" params={{ requestId: trial.request_id }}>
          {t("mcp.try.inLog")}
        </Link>
      </Row>
      <CodeBox
        code={text === "" ? t("mcp.try.empty") : text}
        label={t("mcp.try.result")}
        sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", maxHeight: 420, overflowY: "auto" }}
      />
    </Col>
  );
};
