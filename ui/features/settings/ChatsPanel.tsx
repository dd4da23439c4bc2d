import Add from "@mui/icons-material/AddOutlined";
import Up from "@mui/icons-material/ArrowUpwardOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Row } from "../../components/layout.tsx";
import { type ChatRow, chatsText, readChats } from "./chat-rows.ts";
import { SettingInput } from "./SettingInput.tsx";
import { json } from "./setting-field.ts";
import { useSettings } from "./settings-store.tsx";
import { useSettingHint } from "./use-setting-hint.ts";
import { missingChats } from "./usual-chats.ts";
import { type EditorView, ViewSwitch } from "./ViewSwitch.tsx";

const FIELD = json("Chats", "list");
const COLUMNS = { xs: "1fr auto", sm: "minmax(100px, 180px) minmax(120px, 1fr) auto" };

/** Chat links as a form, or as JSON. */
export const ChatsPanel = () => {
  const { t } = useTranslation();
  const { textOf, change } = useSettings();
  const hint = useSettingHint()(FIELD);
  const [view, setView] = useState<EditorView>("visual");
  const rows = readChats(textOf("Chats"));
  const update = (next: readonly ChatRow[]) => change("Chats", chatsText(next));
  if (view === "json" || !rows) {
    return (
      <Col gap={4}>
        <ViewSwitch view={view} onChange={setView} />
        <SettingInput field={FIELD} />
      </Col>
    );
  }
  const missing = missingChats(rows);
  return (
    <Col gap={4}>
      <ViewSwitch view={view} onChange={setView} />
      <Box sx={{ fontSize: 12.5, color: "text.tertiary" }}>{hint}</Box>
      {rows.map((row, at) => {
        const put = (next: ChatRow) => update(rows.map((other, index) => (index === at ? next : other)));
        const raise = () => {
          const next = rows.toSpliced(at, 1);
          next.splice(at - 1, 0, row);
          update(next);
        };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed; the place is the identity.
          <Box key={at} sx={{ display: "grid", gridTemplateColumns: COLUMNS, gap: 2, alignItems: "center" }}>
            <OutlinedInput
              value={row.name}
              placeholder={t("settings.chats.name")}
              inputProps={{ "aria-label": t("settings.chats.nameOf", { place: at + 1 }) }}
              onChange={(event) => put({ ...row, name: event.target.value })}
            />
            <OutlinedInput
              value={row.link}
              placeholder="https://example.com/?key={key}&url={address}"
              inputProps={{ "aria-label": t("settings.chats.linkOf", { place: at + 1 }), className: "mono" }}
              onChange={(event) => put({ ...row, link: event.target.value })}
            />
            <Row gap={0}>
              <IconButton
                disabled={at === 0}
                aria-label={t("settings.chats.raise", { name: row.name })}
                onClick={raise}
              >
                <Up />
              </IconButton>
              <IconButton
                aria-label={t("settings.chats.remove", { name: row.name })}
                onClick={() => update(rows.toSpliced(at, 1))}
              >
                <Delete />
              </IconButton>
            </Row>
          </Box>
        );
      })}
      <Row>
        <Button startIcon={<Add />} onClick={() => update([...rows, { name: "", link: "" }])}>
          {t("settings.chats.add")}
        </Button>
        {missing.length > 0 && (
          <Button variant="text" onClick={() => update([...rows, ...missing])}>
            {t("settings.chats.addUsual", { count: missing.length })}
          </Button>
        )}
      </Row>
    </Col>
  );
};
