import Button from "@mui/material/Button";
import * as notistack from "notistack";

const UNDO_MS = 6000;

/** Confirms that something was done. */
export const notifyDone = (message: string): void => {
  notistack.enqueueSnackbar(message, { variant: "success" });
};

/** Shows an error with the server's or the network's message. */
export const notifyError = (error: unknown): void => {
  notistack.enqueueSnackbar(error instanceof Error ? error.message : String(error), { variant: "error" });
};

/** Shows a neutral notice. */
export const notifyInfo = (message: string): void => {
  notistack.enqueueSnackbar(message, { variant: "info" });
};

/** Says that the page waits so many seconds; one notice, however many parts of the page wait. */
export const notifyWait = (message: string, seconds: number): void => {
  notistack.enqueueSnackbar(message, {
    key: "wait",
    preventDuplicate: true,
    variant: "info",
    autoHideDuration: seconds * 1000,
  });
};

/** Confirms an action that can be undone for a few seconds. */
export const notifyUndo = (message: string, undoLabel: string, undo: () => void): void => {
  notistack.enqueueSnackbar(message, {
    autoHideDuration: UNDO_MS,
    action: (id) => (
      <Button
        variant="text"
        sx={{ color: "inherit", textDecoration: "underline", textUnderlineOffset: 3 }}
        onClick={() => {
          notistack.closeSnackbar(id);
          undo();
        }}
      >
        {undoLabel}
      </Button>
    ),
  });
};
