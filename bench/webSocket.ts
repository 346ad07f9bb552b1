/**
 * A WebSocket client with little cost: it keeps only the beginning of a long message, and copies nothing
 * else. So even with many clients the server is measured, not the clients.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** The most bytes kept of a message. */
const KEPT = 8_192
/** Shared by all clients: the bytes of a read are processed before the next read. */
const INPUT = Buffer.allocUnsafe(256 * 1_024)

const TEXT = 1
const CLOSE = 8

/** How a connection ended. */
export interface Ending {
  /** 1006 if it ended without a close frame. */
  readonly code: number
  readonly reason: string
}

/** See the file's header. Text and binary frames, fragmented or not; answers no pings. */
export class LeanWebSocket {
  /** The beginning of each message, and its length in bytes. */
  onMessage: (text: string, length: number) => void = () => {}
  readonly ended: Promise<Ending>
  readonly #socket: Socket
  #ending: Ending = { code: 1006, reason: '' }
  #upgraded: () => void = () => {}
  #response = ''
  #isOpen = false
  /** The header of the frame under way. */
  readonly #header = Buffer.alloc(14)
  #headerLength = 0
  /** Of the frame under way. */
  #opcode = 0
  #isFinal = false
  #left = 0
  /** Of the message under way. */
  readonly #kept = Buffer.alloc(KEPT)
  #length = 0

  private constructor({ hostname, port }: URL) {
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: INPUT,
        callback: (length) => {
          this.#read(INPUT.subarray(0, length))
          return true
        },
      },
    })
    this.#socket.setNoDelay(true)
    this.#socket.on('error', () => {})
    this.ended = new Promise((resolve) => this.#socket.on('close', () => resolve(this.#ending)))
    const key = randomBytes(16).toString('base64')
    this.#socket.write(
      `GET / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
  }

  /** Connects to an address given as `http:`. */
  static async open(url: string): Promise<LeanWebSocket> {
    const socket = new LeanWebSocket(new URL(url))
    const upgraded = new Promise<true>((resolve) => {
      socket.#upgraded = () => resolve(true)
    })
    const outcome = await Promise.race([upgraded, socket.ended])
    if (outcome !== true) throw new Error(`no WebSocket at ${url}`)
    return socket
  }

  /** Sends text in one frame, masked as a client must, by zeros. */
  send(text: string): void {
    const payload = Buffer.from(text)
    const header =
      payload.length < 126 ? Buffer.alloc(6) : payload.length < 65_536 ? Buffer.alloc(8) : Buffer.alloc(14)
    header[0] = 0x80 | TEXT
    if (header.length === 6) header[1] = 0x80 | payload.length
    else if (header.length === 8) {
      header[1] = 0x80 | 126
      header.writeUInt16BE(payload.length, 2)
    } else {
      header[1] = 0x80 | 127
      header.writeBigUInt64BE(BigInt(payload.length), 2)
    }
    this.#socket.cork()
    this.#socket.write(header)
    this.#socket.write(payload)
    this.#socket.uncork()
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    let at = this.#isOpen ? 0 : this.#readResponse(chunk)
    while (at < chunk.length) {
      if (this.#left === 0 && !this.#readHeader(chunk[at++]!)) continue
      const end = Math.min(chunk.length, at + this.#left)
      const room = KEPT - this.#length
      if (room > 0) chunk.copy(this.#kept, this.#length, at, Math.min(end, at + room))
      this.#length += end - at
      this.#left -= end - at
      at = end
      if (this.#left === 0 && this.#isFinal) this.#endMessage()
    }
  }

  /** Where the frames begin. */
  #readResponse(chunk: Buffer): number {
    const before = this.#response.length
    this.#response += chunk.toString('latin1')
    const end = this.#response.indexOf('\r\n\r\n')
    if (end < 0) return chunk.length
    if (!this.#response.startsWith('HTTP/1.1 101 ')) {
      this.#socket.destroy()
      return chunk.length
    }
    this.#isOpen = true
    this.#upgraded()
    return end + 4 - before
  }

  /** Whether the header is complete. */
  #readHeader(byte: number): boolean {
    this.#header[this.#headerLength++] = byte
    if (this.#headerLength < 2) return false
    const short = this.#header[1]!
    const length = short < 126 ? 2 : short === 126 ? 4 : 10
    if (this.#headerLength < length) return false
    this.#headerLength = 0
    this.#left =
      length === 2
        ? short
        : length === 4
          ? this.#header.readUInt16BE(2)
          : Number(this.#header.readBigUInt64BE(2))
    this.#isFinal = (this.#header[0]! & 0x80) !== 0
    const opcode = this.#header[0]! & 0x0f
    // Opcode 0 continues the previous message.
    if (opcode !== 0) {
      this.#opcode = opcode
      this.#length = 0
    }
    if (this.#left === 0 && this.#isFinal) this.#endMessage()
    return this.#left > 0
  }

  #endMessage(): void {
    const kept = this.#kept.subarray(0, Math.min(this.#length, KEPT))
    if (this.#opcode === TEXT) this.onMessage(kept.toString('latin1'), this.#length)
    else if (this.#opcode === CLOSE && kept.length >= 2) {
      this.#ending = { code: kept.readUInt16BE(0), reason: kept.toString('utf8', 2) }
      this.#socket.end()
    }
  }
}
