import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { tryGuardrail } from "./guardrail-calls.ts";
import { checkGuardrailForm, definitionOfForm, type GuardrailForm } from "./guardrail-form.ts";

/** What the form's guardrail finds in a text, before anything is saved. */
export const TryPanel = ({ form }: Readonly<{ form: GuardrailForm }>) => {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const isValid = Object.values(checkGuardrailForm({ ...form, name: "x" }, [])).every((fault) => fault === undefined);
  const { mutate, data, isPending } = useMutation({
    mutationFn: () => tryGuardrail(form.name.trim() || "x", definitionOfForm(form), text),
    onError: notifyError,
  });
  return (
    <Col gap={3}>
      <TextField
        multiline
        fullWidth
        minRows={2}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={t("guardrails.try.placeholder")}
        slotProps={{ htmlInput: { "aria-label": t("guardrails.try.text") } }}
      />
      <Row>
        <Button
          loading={isPending}
          disabled={!isValid || text === "" || form.kind === "service"}
          onClick={() => mutate()}
        >
          {t("guardrails.try.run")}
        </Button>
      </Row>
      {data && (
        <KeyValue
          items={[
            [
              t("guardrails.try.found"),
              data.found.length === 0 ? (
                t("guardrails.try.nothing")
              ) : (
                <Row key="found" gap={1.5} wrap>
                  {[...new Set(data.found.map((one) => `${one.type} ${one.text}`.trim()))].map((one) => (
                    <Tag key={one}>{one}</Tag>
                  ))}
                </Row>
              ),
            ],
            ...(data.masked === null
              ? []
              : [
                  [
                    t("guardrails.try.masked"),
                    <Box key="masked" sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
                      {data.masked}
                    </Box>,
                  ] as const,
                ]),
            [t("guardrails.try.took"), t("guardrails.try.microseconds", { us: formatNumber(data.us) })],
          ]}
        />
      )}
    </Col>
  );
};
