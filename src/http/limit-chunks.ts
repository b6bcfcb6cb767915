import type { IncomingMessage } from 'node:http';

/** Chunks in which a body may arrive. A body of 1 MiB in the smallest usual segments of TCP has 2,000. */
const MAX_CHUNKS = 5_000;

/**
 * Ends the connection of a request whose body arrives in more chunks. A chunk of one byte costs as much time and memory as a
 * large one, so a body within the limit of bytes could take seconds and hundreds of megabytes.
 */
export function limitChunks(request: IncomingMessage): void {
  // Bodies with a length arrive in the pieces in which the socket is read.
  if (request.headers['transfer-encoding'] === undefined) return;
  let chunks = 0;
  const push = request.push.bind(request);
  request.push = (chunk, encoding) => {
    chunks += 1;
    if (chunks <= MAX_CHUNKS) return push(chunk, encoding);
    // The parser goes on with what was read from the socket.
    request.socket.destroy();
    return false;
  };
}
