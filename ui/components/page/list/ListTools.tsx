import More from "@mui/icons-material/MoreHorizOutlined";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usePhone } from "../../layout.tsx";
import { useOnceOpened } from "../../once-opened.ts";
import type { DrawnAction } from "./list-actions.ts";

const NONE: ReadonlySet<string> = new Set();

type Props = Readonly<{
  tools: readonly DrawnAction[];
  /** In a menu, on a phone together with the others. */
  more: readonly DrawnAction[];
  /** The key of the menu's name. */
  title: string;
}>;

/** What can be done to a list. A button shows that it works. */
export const ListTools = ({ tools, more, title }: Props) => {
  const isPhone = usePhone();
  const [running, setRunning] = useState(NONE);
  const isRunning = ({ name, isBusy }: DrawnAction) => isBusy || running.has(name);
  const start = async ({ name, isAsking, start: run }: DrawnAction) => {
    // Nothing works yet while somebody answers a question.
    if (!isAsking) setRunning((now) => new Set([...now, name]));
    await run();
    setRunning((now) => new Set([...now].filter((other) => other !== name)));
  };
  return (
    <>
      {more.length > 0 && (
        <ToolMenu
          actions={isPhone ? [...tools, ...more] : more}
          title={title}
          isRunning={isRunning}
          onStart={(action) => void start(action)}
        />
      )}
      {!(isPhone && more.length > 0) &&
        tools.map((action) => (
          <Button
            key={action.name}
            startIcon={action.icon}
            disabled={action.isDisabled}
            loading={isRunning(action)}
            {...(action.icon !== null && { loadingPosition: "start" })}
            onClick={() => void start(action)}
          >
            {action.label}
          </Button>
        ))}
    </>
  );
};

type ToolMenuProps = Readonly<{
  actions: readonly DrawnAction[];
  title: string;
  isRunning: (action: DrawnAction) => boolean;
  onStart: (action: DrawnAction) => void;
}>;

const ToolMenu = ({ actions, title, isRunning, onStart }: ToolMenuProps) => {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const wasOpened = useOnceOpened(anchor !== null);
  return (
    <>
      <IconButton
        aria-label={t(title)}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <More />
      </IconButton>
      {wasOpened && (
        <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
          {actions.map((action) => (
            <MenuItem
              key={action.name}
              disabled={action.isDisabled || isRunning(action)}
              onClick={() => {
                setAnchor(null);
                onStart(action);
              }}
            >
              {action.icon && <ListItemIcon>{action.icon}</ListItemIcon>}
              {action.label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
};
