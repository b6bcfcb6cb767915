import * as assert from 'uvu/assert';
import { daysAgo } from '../past.ts';
import { type Answer, ORGANIZATION, type TestRegister } from '../register.ts';

/** Calls of a family's tests to the tools of the test organization. */
export interface ToolCalls {
  /** Returns a call's answer; fails if it is an error. */
  ok<T = Answer>(tool: string, input?: object): Promise<T>;
  /** Returns a refusal's code and field; fails if the call succeeds. */
  refused(tool: string, input: object): Promise<unknown[]>;
  /** Adds a record by its family's title and returns it. */
  add(title: string, fields: object): Promise<Answer & { id: string }>;
  /** Returns the records of a list. */
  list(tool: string, filter?: object, input?: object): Promise<Answer[]>;
  /** Returns the names in a list. Checks that COUNT agrees. */
  names(tool: string, filter?: object, input?: object): Promise<unknown[]>;
  /** Returns the newest position. */
  position(): Promise<string>;
}

/** Returns calls to the test organization. Inputs without an id get its organization_id. */
export function toolCallsOf({ call }: TestRegister): ToolCalls {
  const withOrganization = (input: object) => ('id' in input ? input : { organization_id: ORGANIZATION, ...input });
  const calls: ToolCalls = {
    async ok<T = Answer>(tool: string, input: object = {}) {
      const answer = await call(tool, withOrganization(input));
      assert.not('error' in answer, `${tool}: ${JSON.stringify(answer)}`);
      return answer as T;
    },
    async refused(tool, input) {
      const { error } = (await call(tool, withOrganization(input))) as { error?: Answer };
      assert.ok(error, `${tool} should refuse ${JSON.stringify(input)}`);
      return [error.code, error.field];
    },
    async add(title, fields) {
      const answer = await calls.ok(`add${title}`, fields);
      return answer[title.toLowerCase()] as Answer & { id: string };
    },
    async list(tool, filter = {}, input = {}) {
      const answer = await calls.ok<Record<string, Answer[]>>(tool, { filter, ...input });
      return Object.values(answer)[0]!;
    },
    async names(tool, filter = {}, input = {}) {
      const names = (await calls.list(tool, filter, input)).map(({ name }) => name);
      const { total } = await calls.ok(tool, { filter, ...input, view: 'COUNT' });
      assert.is(total, names.length, 'COUNT agrees with the list');
      return names;
    },
    async position() {
      const { as_of } = await calls.ok('listRisks', { as_of: daysAgo(0) });
      return (as_of as { position: string }).position;
    },
  };
  return calls;
}
