import GroupOutlined from "@mui/icons-material/GroupOutlined";
import HubOutlined from "@mui/icons-material/HubOutlined";
import KeyOutlined from "@mui/icons-material/KeyOutlined";
import Box from "@mui/material/Box";
import Dialog from "@mui/material/Dialog";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FocusEvent, type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { tokenPage } from "../../../api/api-keys/api-key.ts";
import { usePaused } from "../../../lib/use-paused.ts";
import { useSession } from "../../../state/session.ts";
import { isAdmin } from "../../../state/stored-user.ts";
import { isInReach, type User, userPage } from "../../accounts/users/user.ts";
import { channelPage } from "../../channels/channel-queries.ts";
import type { Typed } from "./PaletteHost.tsx";
import { type Command, isKey, nameIn, rankCommands, rankOf, useCommands, useFinds } from "./useCommands.ts";

/** The command palette: opens a page, runs an action, or finds a text. Late results don't move the selection. */
export const CommandPalette = ({ takeTyped, onClose }: { takeTyped: () => Typed; onClose: () => void }) => {
  const { t } = useTranslation();
  const listId = useId();
  const commands = useCommands();
  const findsOf = useFinds();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const hits = useHits(text);
  const isExact = (hit: Command) => rankOf(hit, nameIn(text)) === 0;
  const matching = [
    ...hits.filter(isExact),
    ...rankCommands(commands, text),
    ...hits.filter((hit) => !isExact(hit)),
    ...findsOf(text),
  ];
  const at = Math.max(
    matching.findIndex(({ label }) => label === chosen),
    0,
  );
  const move = (to: number) => setChosen(matching[Math.min(Math.max(to, 0), matching.length - 1)]?.label ?? null);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const begin = useEffectEvent(({ text: typed, isEntered }: Typed) => {
    setText((later) => typed + later);
    if (isEntered) run(rankCommands(commands, typed)[0]);
  });
  useEffect(() => begin(takeTyped()), [takeTyped]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") run(matching[at]);
    else if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      slotProps={{ paper: { "aria-label": t("shell.palette.open"), "aria-labelledby": undefined } }}
      sx={{ "& .MuiDialog-container": { alignItems: "flex-start", pt: { xs: 2, sm: "12vh" } } }}
    >
      <OutlinedInput
        autoFocus
        value={text}
        placeholder={t("shell.palette.placeholder")}
        inputProps={{
          role: "combobox",
          "aria-label": t("shell.palette.placeholder"),
          "aria-expanded": true,
          "aria-controls": listId,
          "aria-activedescendant": matching.length > 0 ? `${listId}${at}` : undefined,
        }}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(null);
        }}
        onKeyDown={onKeyDown}
        onBlur={keepFocus}
        sx={{ m: 2, minHeight: 40, flex: "none" }}
      />
      <Box
        id={listId}
        role="listbox"
        aria-label={t("shell.palette.open")}
        sx={{ px: 2, pb: 2, maxHeight: "50vh", overflowY: "auto" }}
      >
        {matching.map((command, index) => (
          <Choice
            key={command.label}
            id={`${listId}${index}`}
            command={command}
            isHere={index === at}
            onHover={() => setChosen(command.label)}
            onRun={() => run(command)}
          />
        ))}
      </Box>
      {matching.length === 0 && (
        <Box role="status" sx={{ px: 4.5, pb: 4, color: "text.tertiary", fontSize: 13 }}>
          {t("shell.palette.nothing")}
        </Box>
      )}
    </Dialog>
  );
};

/** Takes the focus back from a page that finishes loading below the palette and focuses its main field. */
function keepFocus({ target, relatedTarget }: FocusEvent<HTMLElement>): void {
  const dialog = target.closest('[role="dialog"]');
  if (relatedTarget && dialog && !dialog.parentElement?.contains(relatedTarget)) target.focus();
}

type ChoiceProps = { id: string; command: Command; isHere: boolean; onHover: () => void; onRun: () => void };

const Choice = ({ id, command, isHere, onHover, onRun }: ChoiceProps) => (
  <Box
    id={id}
    role="option"
    tabIndex={-1}
    aria-label={command.label}
    aria-description={command.hint || undefined}
    aria-selected={isHere}
    ref={(element: HTMLElement | null) => {
      if (isHere) element?.scrollIntoView({ block: "nearest" });
    }}
    onClick={onRun}
    onMouseMove={onHover}
    sx={{
      display: "flex",
      alignItems: "center",
      gap: 2.5,
      minHeight: 36,
      py: 1,
      px: 2.5,
      borderRadius: "7px",
      fontSize: 13,
      cursor: "pointer",
      bgcolor: isHere ? "surface.selected" : "transparent",
      "& svg": { fontSize: 17, color: isHere ? "primary.main" : "text.tertiary" },
    }}
  >
    <command.icon />
    <Box component="span" sx={{ flex: "none", maxWidth: "100%", overflow: "hidden", textOverflow: "ellipsis" }}>
      {command.label}
    </Box>
    <Box
      component="span"
      sx={{
        flex: 1,
        minWidth: 0,
        overflow: "hidden",
        textOverflow: "ellipsis",
        whiteSpace: "nowrap",
        textAlign: "right",
        fontSize: 12,
        color: "text.tertiary",
      }}
    >
      {command.hint}
    </Box>
  </Box>
);

/** Hits shown of each kind; the lists show all. */
const FEW = { page: 0, pageSize: 4 };

/** Channels, users and API keys by name or ID, and API keys by the key itself; searched once typing pauses. */
function useHits(text: string): readonly Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user: actor } = useSession();
  const typed = nameIn(text);
  const keyword = usePaused(typed);
  const isNameSearch = keyword !== "" && keyword === typed;
  const isAdminSearch = isNameSearch && isAdmin(actor);
  const channels = useQuery({ ...channelPage({ keyword, ...FEW }), enabled: isAdminSearch }).data;
  const users = useQuery({ ...userPage({ keyword }, FEW.page, FEW.pageSize), enabled: isAdminSearch }).data;
  const searchedKey = usePaused(isKey(text) ? text.trim() : "");
  const isKeySearch = searchedKey !== "" && searchedKey === text.trim();
  const tokens = useQuery({
    ...tokenPage(isKeySearch ? { token: searchedKey, ...FEW } : { keyword, ...FEW }),
    enabled: isNameSearch || isKeySearch,
    // A key stays in memory no longer than it is shown.
    ...(isKeySearch && { gcTime: 0 }),
  }).data;
  if (!isNameSearch && !isKeySearch) return [];
  const openUser = (user: User) =>
    isInReach(user, actor)
      ? navigate({ to: "/user/edit/$id", params: { id: String(user.id) }, search: {} })
      : navigate({ to: "/user", search: { search: user.username } });
  return [
    ...(isAdminSearch && channels ? channels.items : []).map(({ id, name }) => ({
      label: t("shell.palette.hit.channel", { name, id }),
      name: exactOf(keyword, name, id),
      icon: HubOutlined,
      run: () => void navigate({ to: "/channel/edit/$id", params: { id: String(id) }, search: {} }),
    })),
    ...(isAdminSearch && users ? users.items : []).map((user) => ({
      label: t("shell.palette.hit.user", { name: user.username, id: user.id }),
      name: exactOf(keyword, user.username, user.id),
      icon: GroupOutlined,
      run: () => void openUser(user),
    })),
    ...(tokens?.items ?? []).map(({ id, name }) => ({
      label: t("shell.palette.hit.token", { name, id }),
      name: exactOf(keyword, name, id),
      icon: KeyOutlined,
      run: () => void navigate({ to: "/token", search: { search: name } }),
    })),
  ];
}

/** What a hit is compared with: its ID if that was typed, else its name. */
const exactOf = (keyword: string, name: string, id: number): string => (keyword === String(id) ? keyword : name);
