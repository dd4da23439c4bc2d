import Add from "@mui/icons-material/AddOutlined";
import Up from "@mui/icons-material/ArrowUpwardOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Row } from "../../../components/layout.tsx";
import { isRecord, isText } from "../../../lib/json.ts";
import { SettingInput } from "../fields/SettingInput.tsx";
import { type EditorView, ViewSwitch } from "../page/SectionView.tsx";
import { json } from "../setting-field.ts";
import { useSettingHint, useSettings } from "../settings-store.tsx";

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

type ChatRow = Readonly<{ name: string; link: string }>;

/** Parses the option's chat links; null if invalid. */
export function readChats(text: string): ChatRow[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return null;
    const rows = value.flatMap((entry: unknown): ChatRow[] => {
      const [pair, ...others] = isRecord(entry) ? Object.entries(entry) : [];
      return pair && others.length === 0 && isText(pair[1]) ? [{ name: pair[0], link: pair[1] }] : [];
    });
    return rows.length === value.length ? rows : null;
  } catch {
    return null;
  }
}

export const chatsText = (rows: readonly ChatRow[]): string =>
  JSON.stringify(
    rows.map(({ name, link }) => ({ [name]: link })),
    null,
    2,
  );

/** Popular apps and their link formats for a key and a server URL. */
const POPULAR_CHATS: readonly ChatRow[] = [
  { name: "NextChat", link: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  {
    name: "Lobe Chat",
    link: 'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
  },
  {
    name: "AI as Workspace",
    link: 'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
  },
  { name: "AMA 问天", link: "ama://set-api-key?server={address}&key={key}" },
  { name: "OpenCat", link: "opencat://team/join?domain={address}&token={key}" },
];

/** The popular apps that a list of links lacks, by name. */
export const missingChats = (rows: readonly ChatRow[]): ChatRow[] =>
  POPULAR_CHATS.filter(({ name }) => !rows.some((row) => row.name === name));
