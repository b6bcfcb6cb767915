import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { eventLoopQueue } from '../clock/event-loop-queue.ts';

/** Requests of a connection that may wait for their answers. */
const MAX_UNANSWERED = 10;

/** A connection, as the event loop's queue knows it, and its requests without an answer. */
interface Connection {
  id: string;
  unanswered: number;
}

/**
 * Gives each connection turns in the event loop. Otherwise 3,000 requests that arrive together on one connection would all be
 * answered in one turn of the loop, before anybody knows who sent them. A connection with more than ten unanswered requests is
 * ended: browsers, proxies and assistants wait for an answer before they send the next request.
 */
export function limitPipelining(listener: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  let lastId = 0;
  return (request, response) => {
    const { socket } = request;
    // The parser goes on with what the connection has sent.
    if (socket.destroyed) return;
    const connection = connections.get(socket) ?? { id: `connection ${++lastId}`, unanswered: 0 };
    connections.set(socket, connection);
    if (connection.unanswered >= MAX_UNANSWERED) {
      socket.destroy();
      return;
    }
    connection.unanswered += 1;
    response.once('close', () => {
      connection.unanswered -= 1;
    });
    const turn = eventLoopQueue.wait(connection.id);
    if (turn === undefined) listener(request, response);
    else void turn.then(() => listener(request, response));
  };
}
