import { connect } from './client.ts';

/** Returns the time of the server's clock, in epoch milliseconds. @throws StoreUnavailable when no server answers there */
export async function readMongoTime(url: string): Promise<number> {
  const connection = await connect(url);
  try {
    const { localTime } = await connection.run(() => connection.db.command({ hello: 1 }));
    return (localTime as Date).getTime();
  } finally {
    await connection.close();
  }
}
