/** A chain in the hands of one test. */
import type { Chain } from '../chain.ts'
import type { Provider } from '../rpc/provider.ts'

/** See {@link lend}. */
export interface Loan {
  /** The chain, with `standard` and `preconf` of the test's own. */
  readonly chain: Chain
  /** Closes the connections that were opened on it, and takes its listeners off. */
  end(): void
}

/** Lends a chain to a test: what is opened by it can be ended while the chain goes on. */
export function lend(chain: Chain): Loan {
  const endings: (() => void)[] = []
  const provider: Chain['provider'] = (view, options) => {
    const opened = chain.provider(view, options)
    endings.push(() => opened.close())
    return opened
  }
  let standard: Provider | undefined
  let preconf: Provider | undefined
  const lent: Chain = Object.create(chain, {
    standard: {
      get() {
        standard ??= provider('standard')
        return standard
      },
    },
    preconf: {
      get() {
        preconf ??= provider('preconf')
        return preconf
      },
    },
    provider: { value: provider },
    on: { value: listening('on') },
    once: { value: listening('once') },
    off: {
      value: (...[event, listener]: Parameters<Chain['off']>) => {
        chain.off(event, listener)
        return lent
      },
    },
  })
  function listening(how: 'on' | 'once'): Chain['on'] {
    return (event, listener) => {
      chain[how](event, listener)
      endings.push(() => chain.off(event, listener))
      return lent
    }
  }
  return {
    chain: lent,
    end() {
      for (const end of endings) end()
    },
  }
}
