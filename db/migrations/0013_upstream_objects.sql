CREATE TABLE "upstream_objects" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"user_id" integer NOT NULL,
	"token_id" integer NOT NULL,
	"channel_id" integer NOT NULL,
	"key_hash" text NOT NULL,
	"body" text DEFAULT '{}' NOT NULL,
	"created_at" bigint NOT NULL,
	"settled_at" bigint
);
--> statement-breakpoint
ALTER TABLE "upstream_objects" ADD CONSTRAINT "upstream_objects_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "upstream_objects_user_idx" ON "upstream_objects" USING btree ("user_id","kind","created_at");--> statement-breakpoint
CREATE INDEX "upstream_objects_unsettled_idx" ON "upstream_objects" USING btree ("kind","settled_at");