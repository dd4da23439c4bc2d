import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import type { ChatSettings } from "../chat/chat.ts";
import { readTools } from "../chat/chat-body.ts";

/** The editor is large, so it is loaded on demand. */
const JsonEditor = lazy(() => import("../../../components/form/JsonEditor.tsx"));

const HEIGHT_PX = 320;

const EXAMPLE = JSON.stringify(
  [
    {
      name: "get_weather",
      description: "Current weather of a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ],
  null,
  2,
);

type Props = Readonly<{
  settings: Pick<ChatSettings, "tools" | "mocks">;
  onSave: (changes: Pick<ChatSettings, "tools" | "mocks">) => void;
  onClose: () => void;
}>;

/** The functions that the models may call, and results with which the playground answers calls of them by itself. */
export const ToolsDialog = ({ settings, onSave, onClose }: Props) => {
  const { t } = useTranslation();
  const [text, setText] = useState(settings.tools);
  const [mocks, setMocks] = useState(settings.mocks);
  const functions = readTools(text);
  const save = () => {
    onSave({ tools: text, mocks });
    onClose();
  };
  return (
    <ViewDialog
      title={t("playground.tools.title")}
      width="lg"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button variant="contained" color="primary" disabled={functions === null} onClick={save}>
            {t("playground.tools.save")}
          </Button>
        </>
      }
    >
      <Col gap={4} sx={{ pt: 2 }}>
        <Field
          label={t("playground.tools.functions")}
          htmlFor="playground-tools"
          hint={t("playground.tools.hint")}
          error={functions === null && t("playground.tools.invalid")}
        >
          <Suspense fallback={<Skeleton variant="rounded" height={160} />}>
            <JsonEditor
              id="playground-tools"
              label={t("playground.tools.functions")}
              value={text}
              hasError={functions === null}
              maxHeight={HEIGHT_PX}
              onChange={setText}
              onBlur={() => undefined}
            />
          </Suspense>
        </Field>
        {text.trim() === "" && (
          <Box>
            <Button size="small" variant="text" onClick={() => setText(EXAMPLE)}>
              {t("components.json.example")}
            </Button>
          </Box>
        )}
        {(functions ?? []).map(({ function: { name } }) => (
          <Field
            key={name}
            label={t("playground.tools.mock", { name })}
            htmlFor={`playground-mock-${name}`}
            hint={t("playground.tools.mockHint")}
          >
            <OutlinedInput
              id={`playground-mock-${name}`}
              fullWidth
              multiline
              maxRows={8}
              value={mocks[name] ?? ""}
              onChange={(event) => setMocks({ ...mocks, [name]: event.target.value })}
              inputProps={{ className: "mono", spellCheck: false }}
            />
          </Field>
        ))}
      </Col>
    </ViewDialog>
  );
};
