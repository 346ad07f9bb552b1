/**
 * Signs and sends transfers from one account: by turns of ether and of a token that it deploys first.
 *
 * Owns: the account's key, and which transfer is next. The account's nonce is read from the chain.
 */
import type { Address, Hash, Hex, Provider } from 'preseal'
import { encodeFunctionData, getContractAddress, keccak256, parseEther, parseGwei } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { Token } from '../contracts/token.ts'
import { toNumber } from './format.ts'
import type { Story } from './story.ts'

/** How long signing may block the page at a time, in milliseconds. */
const SIGNING_MS = 6
const ETHER = parseEther('0.1')
const TOKENS = parseEther('1')
/** More than the whole supply. */
const TOO_MANY_TOKENS = parseEther('2000000')

/** The account, the recipient and the connection. */
export interface SenderOptions {
  /** Its pending nonce counts transactions that wait in the mempool. */
  readonly provider: Provider
  readonly privateKey: Hex
  readonly recipient: Address
  readonly story: Story
}

/** The fields of a transaction except its fees. */
interface Payment {
  readonly to?: Address
  readonly value?: bigint
  readonly data?: Hex
  readonly gas: bigint
}

/** See the file's header. */
export class Sender {
  /** The token's address. */
  readonly token: Address
  readonly #options: SenderOptions
  readonly #account: PrivateKeyAccount
  readonly #chainId: number
  #transfers = 0
  #queue: Promise<unknown> = Promise.resolve()

  /** Creates a sender, and sends the token's deployment. */
  static async start(options: SenderOptions): Promise<Sender> {
    const account = privateKeyToAccount(options.privateKey)
    const chainId = toNumber(await options.provider.request({ method: 'eth_chainId' }))
    const nonce = await nonceOf(account.address, options.provider)
    const sender = new Sender(options, account, chainId, nonce)
    await sender.#send({ data: Token.bytecode, gas: 2_000_000n }, nonce)
    return sender
  }

  private constructor(options: SenderOptions, account: PrivateKeyAccount, chainId: number, nonce: number) {
    this.#options = options
    this.#account = account
    this.#chainId = chainId
    this.token = getContractAddress({ from: account.address, nonce: BigInt(nonce) }).toLowerCase() as Address
  }

  /** Sends `amount` transfers in the order of their nonces. @returns their hashes, once each is accepted. */
  transfer(amount: number): Promise<Hash[]> {
    return this.#enqueue(amount, () => this.#nextTransfer())
  }

  /** Sends a transfer of more tokens than there are, which reverts. @returns its hash, once it is accepted. */
  async transferTooMuch(): Promise<Hash> {
    const [hash] = await this.#enqueue(1, () => this.#transferTokens(TOO_MANY_TOKENS))
    return hash!
  }

  #enqueue(amount: number, next: () => Payment): Promise<Hash[]> {
    const sent = this.#queue.then(() => this.#sendAll(amount, next))
    // The caller gets the error; the next transfers in the queue read the nonce again.
    this.#queue = sent.catch(() => {})
    return sent
  }

  async #sendAll(amount: number, next: () => Payment): Promise<Hash[]> {
    const first = await nonceOf(this.#account.address, this.#options.provider)
    const hashes: Promise<Hash>[] = []
    let yieldedAt = performance.now()
    for (let i = 0; i < amount; i++) {
      hashes.push(this.#send(next(), first + i))
      if (performance.now() - yieldedAt < SIGNING_MS) continue
      await new Promise((resolve) => setTimeout(resolve))
      yieldedAt = performance.now()
    }
    return Promise.all(hashes)
  }

  #nextTransfer(): Payment {
    const { recipient } = this.#options
    this.#transfers += 1
    if (this.#transfers % 2 === 1) return { to: recipient, value: ETHER, gas: 21_000n }
    return this.#transferTokens(TOKENS)
  }

  #transferTokens(amount: bigint): Payment {
    const { recipient } = this.#options
    const call = { abi: Token.abi, functionName: 'transfer', args: [recipient, amount] } as const
    return { to: this.token, data: encodeFunctionData(call), gas: 80_000n }
  }

  async #send(payment: Payment, nonce: number): Promise<Hash> {
    const raw = await this.#account.signTransaction({
      ...payment,
      nonce,
      chainId: this.#chainId,
      maxFeePerGas: parseGwei('50'),
      maxPriorityFeePerGas: parseGwei('1'),
    })
    // The event may arrive before the answer.
    this.#options.story.sending(keccak256(raw), performance.now())
    return this.#options.provider.request({ method: 'eth_sendRawTransaction', params: [raw] })
  }
}

async function nonceOf(address: Address, provider: Provider): Promise<number> {
  return toNumber(await provider.request({ method: 'eth_getTransactionCount', params: [address, 'pending'] }))
}
