// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// Fails in each way that Hardhat words by what it knows of a contract.
contract Failures {
    struct Point {
        uint256 x;
        int8 y;
        string name;
    }

    error Simple(uint256 a, int256 b, address c, string d, bytes e, bytes4 f, bool g);
    error Lists(uint256[] a, address[2] b, Point[] c);
    error Empty();

    Inner inner = new Inner();

    function simple() external view {
        revert Simple(10 ** 18, -5, msg.sender, 'he said "hi"', hex"0102", 0xdeadbeef, true);
    }

    function lists() external view {
        uint256[] memory a = new uint256[](2);
        a[1] = 7;
        Point[] memory points = new Point[](1);
        points[0] = Point(3, -4, "p");
        revert Lists(a, [msg.sender, address(this)], points);
    }

    function empty() external pure {
        revert Empty();
    }

    function unknownError() external pure {
        assembly {
            mstore(0, shl(224, 0x12345678))
            revert(0, 4)
        }
    }

    function noReason(bool fails) external pure {
        require(!fails);
    }

    function forward() external view {
        inner.refuse(5);
    }

    function outOfGas() external view {
        inner.burn{gas: 3000}();
    }

    function invalidOpcode() external view {
        inner.invalidOpcode{gas: 50000}();
    }

    function noContract() external view {
        Inner(address(0x4321)).burn();
    }

    function noAnswer() external view {
        Inner(address(0x4321)).number();
    }

    function shortAnswer() external view {
        inner.number();
    }

    function rejected() external {
        payable(address(inner)).transfer(0);
    }

    function create() external {
        new Refusing(1);
    }
}

contract Inner {
    error Refused(uint256 a);

    function refuse(uint256 a) external pure {
        revert Refused(a);
    }

    function burn() external view {
        while (gasleft() > 0) {}
    }

    function invalidOpcode() external pure {
        assembly {
            invalid()
        }
    }

    function number() external pure returns (uint256) {
        assembly {
            return(0, 3)
        }
    }
}

contract Refusing {
    error No(uint256 a);

    constructor(uint256 a) {
        if (a == 1) revert No(a);
    }
}

contract WithFallback {
    fallback() external {}
}

library Library {
    struct Counter {
        uint256 value;
    }

    function increase(Counter storage counter) external {
        counter.value++;
    }
}
