CREATE TABLE "channel_model_lists" (
	"channel_id" integer PRIMARY KEY NOT NULL,
	"models" text[] DEFAULT '{}' NOT NULL,
	"ignored" text[] DEFAULT '{}' NOT NULL,
	"checked_time" bigint DEFAULT 0 NOT NULL,
	"error" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "channel_keys" ADD COLUMN "probed_time" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "balance_currency" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "balance_error" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "balance_warn_below" numeric;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "balance_warned_time" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channel_model_lists" ADD CONSTRAINT "channel_model_lists_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;