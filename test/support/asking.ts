import * as assert from 'uvu/assert';
import { daysAgo } from './past.ts';
import { type Answer, ORGANIZATION, type TestRegister } from './register.ts';

/** Calls of a family's tests to the tools of the test organization. */
export interface Asking {
  /** A call's answer; fails where it is an error. */
  ok<T = Answer>(tool: string, input?: object): Promise<T>;
  /** The code and the field of a refusal; fails where nothing is refused. */
  refused(tool: string, input: object): Promise<unknown[]>;
  /** Adds a record by its family's title and answers it. */
  add(title: string, fields: object): Promise<Answer & { id: string }>;
  /** Records of a list. */
  list(tool: string, filter?: object, more?: object): Promise<Answer[]>;
  /** Their names, and that COUNT counts as many. */
  names(tool: string, filter?: object, more?: object): Promise<unknown[]>;
  /** The newest position there is. */
  position(): Promise<string>;
}

/** Inputs without an id get the organization's. */
export function asking({ call }: TestRegister): Asking {
  const input = (given: object) => ('id' in given ? given : { organization_id: ORGANIZATION, ...given });
  const asking: Asking = {
    async ok<T = Answer>(tool: string, given: object = {}) {
      const answer = await call(tool, input(given));
      assert.not('error' in answer, `${tool}: ${JSON.stringify(answer)}`);
      return answer as T;
    },
    async refused(tool, given) {
      const { error } = (await call(tool, input(given))) as { error?: Answer };
      assert.ok(error, `${tool} should refuse ${JSON.stringify(given)}`);
      return [error.code, error.field];
    },
    async add(title, fields) {
      const answer = await asking.ok(`add${title}`, fields);
      return answer[title.toLowerCase()] as Answer & { id: string };
    },
    async list(tool, filter = {}, more = {}) {
      const answer = await asking.ok<Record<string, Answer[]>>(tool, { filter, ...more });
      return Object.values(answer)[0]!;
    },
    async names(tool, filter = {}, more = {}) {
      const found = (await asking.list(tool, filter, more)).map(({ name }) => name);
      const { total } = await asking.ok(tool, { filter, ...more, view: 'COUNT' });
      assert.is(total, found.length, 'COUNT counts what is listed');
      return found;
    },
    async position() {
      const { as_of } = await asking.ok('listRisks', { as_of: daysAgo(0) });
      return (as_of as { position: string }).position;
    },
  };
  return asking;
}
