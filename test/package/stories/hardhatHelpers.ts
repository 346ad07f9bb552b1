/**
 * The effect of each of Hardhat's network helpers on a chain: one story per helper, the same for 1.x and 3.x. Each
 * starts from the current state of the chain.
 */
import assert from 'node:assert/strict'

type Quantity = number | bigint | string

type Unit = 'millis' | 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'years'

/** The helpers that 1.x and 3.x share. */
interface Helpers {
  readonly time: {
    readonly duration: Readonly<Record<Unit, (value: number) => number>>
    latest(): Promise<number>
    latestBlock(): Promise<number>
    increase(seconds: Quantity): Promise<number>
    increaseTo(timestamp: Quantity | Date): Promise<void>
    setNextBlockTimestamp(timestamp: Quantity | Date): Promise<void>
  }
  loadFixture<T>(fixture: () => Promise<T>): Promise<T>
  clearSnapshots(): void | Promise<void>
  takeSnapshot(): Promise<{ restore(): Promise<void> }>
  mine(blocks?: Quantity, options?: { readonly interval?: Quantity }): Promise<void>
  mineUpTo(block: Quantity): Promise<void>
  setBalance(address: string, balance: Quantity): Promise<void>
  setCode(address: string, code: string): Promise<void>
  setNonce(address: string, nonce: Quantity): Promise<void>
  setStorageAt(address: string, index: Quantity, value: Quantity): Promise<void>
  getStorageAt(address: string, index: Quantity, block?: Quantity): Promise<string>
  impersonateAccount(address: string): Promise<void>
  stopImpersonatingAccount(address: string): Promise<void>
  setCoinbase(address: string): Promise<void>
  setBlockGasLimit(gasLimit: Quantity): Promise<void>
  setPrevRandao(value: Quantity): Promise<void>
  setNextBlockBaseFeePerGas(wei: Quantity): Promise<void>
  dropTransaction(hash: string): Promise<boolean>
}

/** What the stories use. */
export interface Scene {
  readonly helpers: Helpers
  /** Hardhat's own provider. */
  readonly provider: { request(args: { method: string; params: unknown[] }): Promise<unknown> }
}

/** One story of a helper. */
type Story = (scene: Scene) => Promise<void>

interface Block {
  readonly number: string
  readonly timestamp: string
  readonly miner: string
  readonly gasLimit: string
  readonly baseFeePerGas: string
  readonly mixHash: string
}

const STRANGER = `0x${'5a'.repeat(20)}`
/** Returns the value of slot 0. */
const READ_SLOT_0 = '0x5f545f5260205ff3'
const word = (value: Quantity) => `0x${BigInt(value).toString(16).padStart(64, '0')}`

const ask = async <T>({ provider }: Scene, method: string, ...params: unknown[]): Promise<T> =>
  (await provider.request({ method, params })) as T
const balanceOf = async (scene: Scene, address: string) =>
  BigInt(await ask<string>(scene, 'eth_getBalance', address, 'latest'))
const nonceOf = async (scene: Scene, address: string) =>
  Number(await ask<string>(scene, 'eth_getTransactionCount', address, 'latest'))
const blockAt = (scene: Scene, number?: number) =>
  ask<Block>(
    scene,
    'eth_getBlockByNumber',
    number === undefined ? 'latest' : `0x${number.toString(16)}`,
    false,
  )
const timestampAt = async (scene: Scene, number?: number) => Number((await blockAt(scene, number)).timestamp)

/** Sends one wei to a stranger. */
async function pay(scene: Scene, from?: string): Promise<string> {
  const [first] = await ask<string[]>(scene, 'eth_accounts')
  return ask(scene, 'eth_sendTransaction', { from: from ?? first, to: STRANGER, value: '0x1' })
}

/** The stories, by helper. */
export const helperStories: Readonly<Record<string, Story>> = {
  loadFixture: async (scene) => {
    const { loadFixture, time } = scene.helpers
    let runs = 0
    async function fund() {
      await scene.helpers.setBalance(STRANGER, 7n)
      return { runs: ++runs, at: await time.latestBlock() }
    }
    const first = await loadFixture(fund)
    async function later() {
      await pay(scene)
      return balanceOf(scene, STRANGER)
    }
    assert.equal(await loadFixture(later), 8n)
    await pay(scene)
    assert.equal(await loadFixture(later), 8n)
    assert.equal(await balanceOf(scene, STRANGER), 8n)
    assert.deepEqual(await loadFixture(fund), first)
    assert.equal(await balanceOf(scene, STRANGER), 7n)
    assert.deepEqual([await time.latestBlock(), runs], [first.at, 1])
    // The later fixture was withdrawn, and is created again.
    assert.equal(await loadFixture(later), 8n)
  },

  clearSnapshots: async (scene) => {
    const { clearSnapshots, loadFixture } = scene.helpers
    let runs = 0
    const count = async () => ++runs
    assert.deepEqual([await loadFixture(count), await loadFixture(count)], [1, 1])
    await clearSnapshots()
    assert.equal(await loadFixture(count), 2)
  },

  takeSnapshot: async (scene) => {
    const { takeSnapshot, time } = scene.helpers
    const before = [await balanceOf(scene, STRANGER), await time.latestBlock(), await time.latest()]
    const snapshot = await takeSnapshot()
    for (let round = 0; round < 2; round++) {
      await time.increase(1000)
      await pay(scene)
      assert.equal(await time.latestBlock(), Number(before[1]) + 2)
      await snapshot.restore()
      assert.deepEqual(
        [await balanceOf(scene, STRANGER), await time.latestBlock(), await time.latest()],
        before,
      )
    }
  },

  'time.duration': async ({ helpers: { time } }) => {
    const { duration } = time
    const units = ['millis', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'years'] as const
    assert.deepEqual(
      units.map((unit) => duration[unit](2000)),
      [2, 2000, 120_000, 7_200_000, 172_800_000, 1_209_600_000, 63_072_000_000],
    )
    const before = await time.latest()
    assert.equal(await time.increase(duration.days(2)), before + 172_800)
  },

  'time.latest': async (scene) => {
    assert.equal(await scene.helpers.time.latest(), await timestampAt(scene))
  },

  'time.latestBlock': async (scene) => {
    assert.equal(await scene.helpers.time.latestBlock(), Number((await blockAt(scene)).number))
  },

  'time.increase': async (scene) => {
    const { time } = scene.helpers
    const [block, before] = [await time.latestBlock(), await time.latest()]
    assert.equal(await time.increase(3600), before + 3600)
    assert.deepEqual([await time.latestBlock(), await timestampAt(scene)], [block + 1, before + 3600])
    // Time continues from there.
    await pay(scene)
    assert.ok((await time.latest()) > before + 3600)
  },

  'time.increaseTo': async (scene) => {
    const { time } = scene.helpers
    const target = (await time.latest()) + 100
    await time.increaseTo(target)
    assert.equal(await timestampAt(scene), target)
    await time.increaseTo(new Date((target + 100) * 1000))
    assert.equal(await timestampAt(scene), target + 100)
    await assert.rejects(time.increaseTo(target), /timestamp/i)
    assert.equal(await timestampAt(scene), target + 100)
  },

  'time.setNextBlockTimestamp': async (scene) => {
    const { time } = scene.helpers
    const [block, target] = [await time.latestBlock(), (await time.latest()) + 500]
    await time.setNextBlockTimestamp(target)
    assert.equal(await time.latestBlock(), block)
    await pay(scene)
    assert.deepEqual([await time.latestBlock(), await time.latest()], [block + 1, target])
  },

  mine: async (scene) => {
    const { mine, time } = scene.helpers
    const start = await time.latestBlock()
    await mine()
    assert.equal(await time.latestBlock(), start + 1)
    await mine(3, { interval: 60 })
    const [first, second, third] = await Promise.all(
      [2, 3, 4].map((offset) => timestampAt(scene, start + offset)),
    )
    assert.deepEqual([second! - first!, third! - second!], [60, 60])
    await mine(8000)
    assert.equal(await time.latestBlock(), start + 8004)
    assert.equal((await time.latest()) - (await timestampAt(scene, start + 5)), 7999)
  },

  mineUpTo: async ({ helpers: { mineUpTo, time } }) => {
    const target = (await time.latestBlock()) + 5
    await mineUpTo(target)
    assert.equal(await time.latestBlock(), target)
  },

  setBalance: async (scene) => {
    await scene.helpers.setBalance(STRANGER, 10n ** 30n)
    assert.equal(await balanceOf(scene, STRANGER), 10n ** 30n)
    // The helpers send it as `0x`.
    await scene.helpers.setBalance(STRANGER, '0x00')
    assert.equal(await balanceOf(scene, STRANGER), 0n)
  },

  setCode: async (scene) => {
    const address = `0x${'c0'.repeat(20)}`
    await scene.helpers.setCode(address, READ_SLOT_0)
    assert.equal(await ask(scene, 'eth_getCode', address, 'latest'), READ_SLOT_0)
    assert.equal(await ask(scene, 'eth_call', { to: address }, 'latest'), word(0))
  },

  setNonce: async (scene) => {
    const [, , third] = await ask<string[]>(scene, 'eth_accounts')
    await scene.helpers.setNonce(third!, 40)
    assert.equal(await nonceOf(scene, third!), 40)
    const { nonce } = await ask<{ nonce: string }>(scene, 'eth_getTransactionByHash', await pay(scene, third))
    assert.deepEqual([nonce, await nonceOf(scene, third!)], ['0x28', 41])
  },

  setStorageAt: async (scene) => {
    const address = `0x${'c1'.repeat(20)}`
    await scene.helpers.setCode(address, READ_SLOT_0)
    await scene.helpers.setStorageAt(address, 0, 99)
    assert.equal(await ask(scene, 'eth_call', { to: address }, 'latest'), word(99))
    await scene.helpers.setStorageAt(address, word(0x0102), word(5))
    assert.equal(await ask(scene, 'eth_getStorageAt', address, '0x102', 'latest'), word(5))
  },

  getStorageAt: async ({ helpers: { getStorageAt, mine, setStorageAt, time } }) => {
    const address = `0x${'c2'.repeat(20)}`
    await setStorageAt(address, 3, 1)
    const before = await time.latestBlock()
    await mine()
    await setStorageAt(address, 3, 2)
    assert.equal(await getStorageAt(address, 3), word(2))
    assert.equal(await getStorageAt(address, 3, before), word(1))
  },

  impersonateAccount: async (scene) => {
    const contract = `0x${'c3'.repeat(20)}`
    await scene.helpers.setCode(contract, READ_SLOT_0)
    await scene.helpers.setBalance(contract, 10n ** 18n)
    await scene.helpers.impersonateAccount(contract)
    const before = await balanceOf(scene, STRANGER)
    const hash = await pay(scene, contract)
    const receipt = await ask<{ from: string; status: string }>(scene, 'eth_getTransactionReceipt', hash)
    assert.deepEqual([receipt.from, receipt.status], [contract, '0x1'])
    assert.equal(await balanceOf(scene, STRANGER), before + 1n)
  },

  stopImpersonatingAccount: async (scene) => {
    await scene.helpers.setBalance(STRANGER, 10n ** 18n)
    await scene.helpers.impersonateAccount(STRANGER)
    await pay(scene, STRANGER)
    await scene.helpers.stopImpersonatingAccount(STRANGER)
    await assert.rejects(pay(scene, STRANGER), /unknown account/i)
  },

  setCoinbase: async (scene) => {
    const before = await balanceOf(scene, `0x${'fe'.repeat(20)}`)
    await scene.helpers.setCoinbase(`0x${'fe'.repeat(20)}`)
    await pay(scene)
    assert.equal((await blockAt(scene)).miner, `0x${'fe'.repeat(20)}`)
    assert.ok((await balanceOf(scene, `0x${'fe'.repeat(20)}`)) > before)
  },

  setBlockGasLimit: async (scene) => {
    await scene.helpers.setBlockGasLimit(29_999_999)
    await scene.helpers.mine()
    assert.equal(Number((await blockAt(scene)).gasLimit), 29_999_999)
  },

  setPrevRandao: async (scene) => {
    await scene.helpers.setPrevRandao(7)
    await scene.helpers.mine()
    assert.equal((await blockAt(scene)).mixHash, word(7))
    await scene.helpers.mine()
    assert.notEqual((await blockAt(scene)).mixHash, word(7))
  },

  setNextBlockBaseFeePerGas: async (scene) => {
    await scene.helpers.setNextBlockBaseFeePerGas(8_000_000_000)
    await scene.helpers.mine()
    assert.equal(Number((await blockAt(scene)).baseFeePerGas), 8_000_000_000)
    await scene.helpers.mine()
    assert.equal(Number((await blockAt(scene)).baseFeePerGas), 7_000_000_000)
  },

  dropTransaction: async (scene) => {
    const { dropTransaction, mine } = scene.helpers
    const sealed = await pay(scene)
    await ask(scene, 'evm_setAutomine', false)
    const waiting = await pay(scene)
    const before = await balanceOf(scene, STRANGER)
    assert.equal(await dropTransaction(waiting), true)
    assert.equal(await dropTransaction(waiting), false)
    assert.equal(await ask(scene, 'eth_getTransactionByHash', waiting), null)
    await mine()
    assert.equal(await balanceOf(scene, STRANGER), before)
    await ask(scene, 'evm_setAutomine', true)
    await assert.rejects(dropTransaction(sealed), /cannot be dropped because it's already mined/)
  },
}
