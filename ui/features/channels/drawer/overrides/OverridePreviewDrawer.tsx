import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../../components/feedback/notify.tsx";
import { SideDrawer } from "../../../../components/feedback/SideDrawer.tsx";
import { JsonField } from "../../../../components/inputs/JsonField.tsx";
import { Col, Field } from "../../../../components/layout.tsx";
import { type OverrideTexts, previewOverrides } from "./override-calls.ts";

const ExchangeDiff = lazy(() => import("../../../logs/detail/exchange/ExchangeDiff.tsx"));

/** Tries overrides on a request of the log, or on a body, and shows what they change. */
export const OverridePreviewDrawer = ({ overrides, onClose }: { overrides: OverrideTexts; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const [requestId, setRequestId] = useState("");
  const [body, setBody] = useState("");
  const preview = useMutation({
    mutationFn: () => previewOverrides(overrides, { requestId, body }),
    onError: notifyError,
  });
  const { data } = preview;
  return (
    <SideDrawer
      title={t("channels.overrides.preview")}
      subtitle={t("channels.overrides.previewHint")}
      onClose={onClose}
      footer={() => (
        <Button
          variant="contained"
          loading={preview.isPending}
          disabled={requestId.trim() === "" && body.trim() === ""}
          onClick={() => preview.mutate()}
        >
          {t("channels.overrides.run")}
        </Button>
      )}
    >
      <Col gap={4}>
        <Field
          label={t("channels.overrides.requestId")}
          htmlFor={`${id}id`}
          hint={t("channels.overrides.requestIdHint")}
        >
          <OutlinedInput
            id={`${id}id`}
            fullWidth
            value={requestId}
            onChange={({ target }) => setRequestId(target.value)}
          />
        </Field>
        {requestId.trim() === "" && (
          <JsonField
            id={`${id}body`}
            label={t("channels.overrides.body")}
            hint={t("channels.overrides.bodyHint")}
            value={body}
            example='{"model": "gpt-4o", "messages": []}'
            error={undefined}
            onChange={setBody}
          />
        )}
        {data && (
          <Box component="section" aria-live="polite">
            <Box component="h3" sx={{ m: 0, mb: 2, fontSize: 13, fontWeight: 600 }}>
              {data.changed.length === 0
                ? t("channels.overrides.unchanged")
                : t("channels.overrides.changed", { names: data.changed.join(", ") })}
            </Box>
            {data.changed.length > 0 && (
              <Suspense>
                <ExchangeDiff client={data.before} upstream={data.after} />
              </Suspense>
            )}
            {Object.keys(data.headers).length > 0 && (
              <Box
                component="pre"
                className="mono"
                sx={{ fontSize: 12, whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
              >
                {Object.entries(data.headers)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join("\n")}
              </Box>
            )}
          </Box>
        )}
      </Col>
    </SideDrawer>
  );
};
