import { KEYS, PLAYGROUND, PROFILE } from "./account.ts";
import type { ApiTask } from "./api-task.ts";
import { TEXT } from "./calls.ts";
import { MEDIA } from "./media.ts";
import { PAYMENTS, WALLET } from "./money.ts";
import { OBJECTS } from "./objects.ts";
import { ORGANIZATIONS, SIGN_IN, SINGLE_SIGN_ON, USERS } from "./people.ts";
import { ALERTS, CHANNELS, LOGS, MODELS, OPERATIONS, ROUTING, SETTINGS } from "./site.ts";

/** The tasks in the order of the reference, by who comes with them. */
export const TASK_GROUPS: readonly Readonly<{ name: string; tasks: readonly ApiTask[] }>[] = [
  { name: "Call models", tasks: [TEXT, MEDIA, OBJECTS] },
  { name: "Your account", tasks: [KEYS, WALLET, PAYMENTS, ORGANIZATIONS, PROFILE, SIGN_IN, PLAYGROUND] },
  {
    name: "Run the site",
    tasks: [CHANNELS, MODELS, ROUTING, USERS, LOGS, ALERTS, SETTINGS, SINGLE_SIGN_ON, OPERATIONS],
  },
];

/** All tasks, in the order of the reference. */
export const TASKS: readonly ApiTask[] = TASK_GROUPS.flatMap(({ tasks }) => tasks);
