/** The providers that a page finds: discovery, events and both views. */
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../../src/index.ts'
import { resolveWalletOptions, type WalletOptions } from '../../../src/kits/playwright/walletOptions.ts'
import { eventsOf, openDapp, recordEvents, request, transfer, useBrowser } from './support.ts'

interface Announcement {
  readonly detail: {
    readonly info: { readonly uuid: string; readonly icon: string }
    readonly provider: { request(args: object): Promise<unknown> }
  }
}
declare function addEventListener(type: string, listener: (event: Announcement) => void): void
declare function dispatchEvent(event: Event): void

/** Run in the page: the wallets that announce themselves, without their random ids. */
const announced = () => {
  const found: unknown[] = []
  addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = event.detail
    const { uuid, icon, ...rest } = info
    const isFirst = provider === Reflect.get(globalThis, 'ethereum')
    const isFrozen = Object.isFrozen(event.detail)
    found.push({ ...rest, icon: icon.slice(0, 14), isFirst, isFrozen, isUuid: /^[0-9a-f-]{36}$/.test(uuid) })
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  return found
}

describe('the wallet in a page', () => {
  useBrowser()

  it('is window.ethereum, and announces itself by EIP-6963, on a page with a strict policy', async () => {
    const { page } = await openDapp()
    expect(await page.evaluate(announced)).toEqual([
      {
        name: 'preseal',
        rdns: 'localhost.preseal',
        icon: 'data:image/svg',
        isFirst: true,
        isFrozen: true,
        isUuid: true,
      },
    ])
    expect(await request(page, 'eth_chainId')).toBe('0x7a69')
  })

  it('has the name, the icon and the flag that the options say', async () => {
    const icon = 'data:image/png;base64,AAAA'
    const { page } = await openDapp({ name: 'Test Wallet', rdns: 'io.example', icon, isMetaMask: true })
    expect(await page.evaluate(announced)).toMatchObject([
      { name: 'Test Wallet', rdns: 'io.example', icon: 'data:image/png' },
    ])
    expect(await page.evaluate(() => Reflect.get(globalThis, 'ethereum').isMetaMask)).toBe(true)
  })

  it('announces a wallet for each view, whose answers are those of the view', async () => {
    const { chain, page } = await openDapp({ views: ['live', 'standard'], connected: true })
    expect(await page.evaluate(announced)).toMatchObject([
      { name: 'preseal', rdns: 'localhost.preseal', isFirst: true },
      { name: 'preseal (standard)', rdns: 'localhost.preseal.standard', isFirst: false },
    ])
    await request(page, 'eth_sendTransaction', [{ ...transfer(chain), value: '0x5' }])
    await chain.tick()
    const counts = await page.evaluate(async (address) => {
      const found: { request(args: object): Promise<unknown> }[] = []
      addEventListener('eip6963:announceProvider', (event) => found.push(event.detail.provider))
      dispatchEvent(new Event('eip6963:requestProvider'))
      const count = { method: 'eth_getTransactionCount', params: [address] }
      return Promise.all(found.map((provider) => provider.request(count)))
    }, chain.accounts[0].address)
    expect(counts).toEqual(['0x1', '0x0'])
  })

  it('emits connect, and the notifications of a subscription', async () => {
    const { chain, page } = await openDapp()
    await recordEvents(page)
    const id = await request(page, 'eth_subscribe', ['newHeads'])
    await chain.seal()
    const [event] = (await eventsOf(page, 1)) as [[string, object]]
    expect(event).toMatchObject([
      'message',
      { type: 'eth_subscription', data: { subscription: id, result: { number: '0x1' } } },
    ])
    expect(await page.evaluate(() => Reflect.get(globalThis, 'ethereum').isConnected())).toBe(true)
  })

  it('has the methods of an emitter, and isolates a listener that throws', async () => {
    const { wallet, page } = await openDapp()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.evaluate(() => {
      const provider = Reflect.get(globalThis, 'ethereum')
      const seen: string[] = []
      Reflect.set(globalThis, 'events', seen)
      const removed = () => seen.push('removed')
      provider.on('chainChanged', () => {
        throw new Error('of the page')
      })
      provider.once('chainChanged', removed)
      provider.removeListener('chainChanged', removed)
      provider.once('chainChanged', (id: string) => seen.push(`once ${id}`))
      provider.addListener('chainChanged', (id: string) => seen.push(`on ${id}`))
      provider.on('other', removed).removeAllListeners('other')
      seen.push(`${provider.listenerCount('chainChanged')} ${provider.listenerCount('other')}`)
    })
    wallet.switchChain(1)
    wallet.switchChain(31_337)
    expect(await eventsOf(page, 4)).toEqual(['3 0', 'once 0x1', 'on 0x1', 'on 0x7a69'])
    expect(errors).toEqual(['of the page', 'of the page'])
  })

  it('goes on if the page extends Object.prototype or replaces reportError', async () => {
    const { wallet, page } = await openDapp()
    await page.evaluate(() => {
      for (const name of ['view', 'data', 'events']) Reflect.set(Object.prototype, name, 'inherited')
      Reflect.set(globalThis, 'reportError', undefined)
    })
    expect(await request(page, 'eth_chainId')).toBe('0x7a69')
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.evaluate(() => {
      const seen: string[] = []
      Object.defineProperty(globalThis, 'events', { value: seen })
      const provider = Reflect.get(globalThis, 'ethereum')
      provider.on('chainChanged', () => {
        throw new Error('of the page')
      })
      provider.on('chainChanged', (id: string) => seen.push(id))
    })
    wallet.switchChain(1)
    wallet.switchChain(31_337)
    expect(await eventsOf(page, 2)).toEqual(['0x1', '0x7a69'])
    expect(errors).toEqual(['of the page', 'of the page'])
  })

  it('says why a message cannot be sent, which is not that it was disconnected', async () => {
    const { page } = await openDapp()
    await page.evaluate(() => Reflect.set(Array.prototype, 'toJSON', () => 'of the page'))
    const answer = await page.evaluate(() =>
      Reflect.get(globalThis, 'ethereum')
        .request({ method: 'eth_chainId' })
        .catch(({ code, message }: { code: number; message: string }) => `${code} ${message}`),
    )
    expect(answer).toMatch(/^4900 disconnected: .*Array\.prototype\.toJSON/)
  })

  it('is announced until it ends, also if the page removes all listeners', async () => {
    const { wallets, page } = await openDapp()
    await page.evaluate(() => void Reflect.get(globalThis, 'ethereum').removeAllListeners())
    expect(await page.evaluate(announced)).toHaveLength(1)
    await wallets.end()
    await page.waitForFunction(() => !Reflect.get(globalThis, 'ethereum').isConnected())
    expect(await page.evaluate(announced)).toEqual([])
  })

  it('answers requests of the wrong form with an error that states the form', async () => {
    const { page } = await openDapp()
    const answers = await page.evaluate(async () => {
      const requests = [
        undefined,
        { method: 1 },
        { method: 'eth_unknown' },
        { method: 'eth_getBalance', params: [] },
        { method: 'eth_getBalance', params: [1n] },
        { method: 'eth_sendTransaction', params: {} },
        { method: 'eth_accounts', params: [1] },
        { method: 'wallet_addEthereumChain', params: [{ chainId: '0x0' }] },
      ]
      const errorOf = ({ code, message }: { code: number; message: string }) => `${code} ${message}`
      const { ethereum } = globalThis as unknown as { ethereum: { request(args: unknown): Promise<unknown> } }
      return Promise.all(requests.map((args) => ethereum.request(args).catch(errorOf)))
    })
    expect(answers).toEqual([
      '-32600 invalid request: expected an object with a method',
      '-32600 invalid request: expected a string as method',
      '-32601 the method eth_unknown does not exist/is not available',
      '-32602 invalid argument count: expected 1 to 2, got 0',
      '-32600 invalid request: expected values that JSON can represent',
      '-32602 invalid argument params: expected an array',
      '-32602 invalid argument count: expected 0, got 1',
      '-32602 invalid argument 0.chainId: expected a chain id from 1 to 2^53 - 1',
    ])
  })

  it.each<[WalletOptions, string]>([
    [{ account: -1 }, 'invalid option account: expected an integer >= 0'],
    [{ account: '0x12' }, 'invalid option account: expected a 20-byte address'],
    [
      { promptTimeout: -1 },
      'invalid option promptTimeout: expected an integer >= 0 (milliseconds), or Infinity',
    ],
    [
      { views: [] },
      "invalid option views: expected a list of 'live', 'preconf' and 'standard', each at most once",
    ],
    [{ rdns: 'preseal' }, 'invalid option rdns: expected a reverse domain name, such as com.example.wallet'],
    [{ icon: 'icon.png' }, 'invalid option icon: expected a data URI of an image'],
  ])('refuses the options %o', (options, message) => {
    expect(() => resolveWalletOptions(options)).toThrow(new InvalidOptionError(...split(message)))
  })
})

/** The arguments of an InvalidOptionError by its message. */
function split(message: string): [option: string, expected: string] {
  const [, option, expected] = /^invalid option (.+?): expected (.+)$/.exec(message)!
  return [option!, expected!]
}
